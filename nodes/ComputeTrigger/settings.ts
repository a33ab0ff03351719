import type { IPollFunctions } from 'n8n-workflow';
import { ANY_CREDENTIALS } from '../marketplace/credentials';
import { EMPTY_FILTER, readNamePrefix } from '../marketplace/fields';
import { readFilters, type Filters } from '../marketplace/hardwareFilters';
import { CAAS, VMAAS, type Product } from '../marketplace/product';
import { segmentProblem } from '../shared/guards';
import { Parameters } from '../shared/operation/parameters';
import { EVENTS, PRODUCTS, triggerFields, type EventName } from './fields';

/** Which deployments are watched. */
export interface DeploymentSettings {
	products: Product[];
	namePrefix?: string;
}

export interface OfferSettings {
	filters: Filters;
	/** USD per hour; Infinity where there is no limit. */
	maxHourlyPrice: number;
	alsoCheaper: boolean;
}

export interface DeviceSettings {
	deviceIds: string[];
	downtimeMinutes: number;
}

/** The parameters of the node, checked. */
export type Settings =
	| ({ event: 'deploymentStateChanged' } & DeploymentSettings)
	| ({ event: 'deploymentExpiresSoon'; minutes: number } & DeploymentSettings)
	| ({ event: 'offerMatches' } & OfferSettings)
	| ({ event: 'deviceDown' } & DeviceSettings);

/** So many devices are read in five polls. */
const MAX_DEVICES = 100;

const AUTHENTICATIONS = ANY_CREDENTIALS.choices.map(([value]) => value);

/** @throws for the first parameter that is wrong, naming the field, the value and the limit */
export function readSettings(functions: IPollFunctions): Settings {
	const parameters = new Parameters(
		functions.getNode(),
		0,
		triggerFields,
		(name) => functions.getNodeParameter(name, '') ?? null,
	);
	const event: EventName = parameters.choice('event', EVENTS);
	const settings = readEvent(parameters, event);
	// The form cannot tell: n8n hides each field on which a credential depends
	const isOfDevices = event === 'deviceDown';
	if (isOfDevices === (parameters.choice('authentication', AUTHENTICATIONS) === 'apiKey'))
		parameters.fail(
			'authentication',
			isOfDevices
				? 'must be Access Token or OAuth2 for Device Down: the service takes no API key for devices'
				: 'must be API Key for deployments and offers: Access Token and OAuth2 are for devices',
		);
	return settings;
}

function readEvent(parameters: Parameters, event: EventName): Settings {
	if (event === 'offerMatches') return { event, ...readOfferSettings(parameters) };
	if (event === 'deviceDown')
		return {
			event,
			deviceIds: readDeviceIds(parameters),
			downtimeMinutes: parameters.integer('downtimeMinutes', { min: 1, max: 1440 }),
		};
	const deployments = readDeploymentSettings(parameters);
	return event === 'deploymentStateChanged'
		? { event, ...deployments }
		: { event, ...deployments, minutes: parameters.integer('minutes', { min: 1 }) };
}

function readDeploymentSettings(parameters: Parameters): DeploymentSettings {
	const product = parameters.choice('product', PRODUCTS);
	const options = parameters.group('options');
	options.requireFilled('namePrefix', EMPTY_FILTER);
	return {
		products: [VMAAS, CAAS].filter(({ key }) => product === 'both' || product === key),
		namePrefix: readNamePrefix(options),
	};
}

function readOfferSettings(parameters: Parameters): OfferSettings {
	const maxHourlyPrice = parameters.number('maxHourlyPrice', { min: 0 });
	return {
		filters: readFilters(parameters, true),
		maxHourlyPrice: maxHourlyPrice === 0 ? Infinity : maxHourlyPrice,
		alsoCheaper: parameters.group('offerOptions').flag('alsoCheaper'),
	};
}

function readDeviceIds(parameters: Parameters): string[] {
	const ids = [...new Set(parameters.texts('deviceIds'))];
	if (ids.length === 0 || ids.length > MAX_DEVICES)
		parameters.fail('deviceIds', `must be 1 to ${MAX_DEVICES} devices, got ${ids.length}`);
	const problem = ids.map(segmentProblem).find((one) => one !== undefined);
	if (problem !== undefined) parameters.fail('deviceIds', problem);
	return ids;
}
