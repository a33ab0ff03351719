import type { IDataObject } from 'n8n-workflow';
import { requireLimitByPerson } from '../../../marketplace/agentLimit';
import { boughtBefore } from '../../../marketplace/boughtBefore';
import type { NameRules } from '../../../marketplace/deploymentName';
import { durationHoursField } from '../../../marketplace/fields';
import {
	firstHourNotice,
	nameField,
	place,
	readNameRules,
	safetyField,
} from '../../../marketplace/order';
import { HOURS } from '../../../marketplace/price';
import {
	isLimited,
	priceWithin,
	readPriceLimits,
	type PriceLimits,
} from '../../../marketplace/priceLimits';
import { CAAS, onProduct } from '../../../marketplace/product';
import { beforeDeploy, purchase } from '../../../marketplace/purchase';
import { hidingSecrets, withoutSecrets } from '../../../marketplace/secrets';
import { collectionField } from '../../../shared/fields';
import { numberOf } from '../../../shared/numbers';
import type { Parameters } from '../../../shared/operation/parameters';
import {
	environmentField,
	imageField,
	moreContainerFields,
	readContainerSettings,
	secretEnvironmentField,
	secretsIn,
	trafficPortField,
	type ContainerSettings,
} from '../../containerFields';
import {
	containerHardwareField,
	gpusPerContainerField,
	locationIdsField,
	readPlacement,
	replicaCountField,
	type Placement,
} from '../../placement';
import { settingIn } from '../../shownSettings';

interface Input extends Placement {
	imageUrl: string;
	trafficPort: number;
	durationHours: number;
	settings: ContainerSettings;
	nameRules: NameRules;
	priceLimits: PriceLimits;
}

/** `POST …/caas/deploy` (beyond-the-spec.md section 2). */
export const deploy = onProduct<Input>(CAAS, {
	value: 'deploy',
	name: 'Deploy',
	action: 'Deploy containers',
	description:
		'Run a container image with an HTTP server on rented GPUs for a number of hours. This spends money; the first hour is never refunded.',
	effect: 'write',
	identifyingKeys: ['deployment_id', 'resource_private_name'],
	fields: [
		nameField,
		{ ...imageField, required: true },
		trafficPortField,
		containerHardwareField,
		gpusPerContainerField,
		locationIdsField,
		replicaCountField,
		durationHoursField,
		environmentField,
		secretEnvironmentField,
		firstHourNotice,
		safetyField(CAAS),
		collectionField('additionalFields', 'Additional Fields', 'Add Field', moreContainerFields),
	],
	input(parameters) {
		const placement = readPlacement(parameters);
		const more = parameters.group('additionalFields');
		const settings = readContainerSettings(parameters, more);
		checkLogin(more, settings);
		return {
			...placement,
			imageUrl: parameters.text('imageUrl'),
			trafficPort: parameters.integer('trafficPort', { min: 1, max: 65535 }),
			durationHours: parameters.integer('durationHours', HOURS),
			settings,
			nameRules: {
				...readNameRules(parameters, placement.replicaCount),
				hardwareId: placement.hardwareId,
				gpus: placement.gpus,
			},
			priceLimits: readPriceLimits(parameters),
		};
	},
	again: boughtBefore,
	async run(context, input) {
		const { nameRules, priceLimits } = input;
		if (!nameRules.dryRun) requireLimitByPerson(context, priceLimits);
		const open = withoutSecrets(bodyOf(input, nameRules.name, input.settings));
		const hidden = hidingSecrets(context, secretsIn(input.settings), open);
		const item = await purchase(hidden, nameRules, async (begun) => {
			const body = bodyOf(input, begun.name, input.settings);
			return await place(hidden, begun, nameRules, {
				body: nameRules.dryRun ? withoutSecrets(body) : body,
				ordered: {
					hardware_id: input.hardwareId,
					gpus: input.gpus,
					duration_hours: input.durationHours,
					workers: input.replicaCount,
				},
				priceLimits,
				async quote() {
					if (!isLimited(priceLimits) && !nameRules.dryRun) return { prices: {} };
					return await beforeDeploy(
						hidden,
						'The price',
						async () => await priceWithin(hidden, priceLimits, input),
					);
				},
				extras: {
					hardware_id: input.hardwareId,
					gpus_per_container: input.gpus,
					replica_count: input.replicaCount,
					duration_hours: input.durationHours,
				},
			});
		});
		return [item.existing === true ? withHints(item, input) : item];
	},
});

/** An existing deployment is found by its name: it may run something else. */
function withHints(existing: IDataObject, { imageUrl, replicaCount }: Input): IDataObject {
	const image = settingIn(existing, 'image_url') ?? imageUrl;
	const replicas = numberOf(settingIn(existing, 'replica_count')) ?? replicaCount;
	const hints = [
		existing.hint,
		image !== imageUrl &&
			`It runs the image ${String(image)}, and ${imageUrl} is ordered: Deployment > Update changes it.`,
		replicas < replicaCount && `It has ${replicas} containers, and ${replicaCount} are ordered.`,
	].filter(Boolean);
	return hints.length > 0 ? { ...existing, hint: hints.join(' ') } : existing;
}

/** A login has two halves; with one of them the image would not be pulled, on a machine that bills. */
function checkLogin(more: Parameters, settings: ContainerSettings): void {
	const { registry_username: username, registry_secret: secret } = settings;
	if (username !== undefined && secret === undefined)
		more.fail('registrySecret', 'is required with a Registry Username');
	if (username === undefined && secret !== undefined)
		more.fail('registryUsername', 'is required with a Registry Secret');
}

/** The deploy body; keys that are not set are not sent, since an unknown or empty key may be refused. */
function bodyOf(input: Input, name: string, settings: ContainerSettings = {}): IDataObject {
	const { registry_username, registry_secret, ...program } = settings;
	return {
		resource_private_name: name,
		duration_hours: input.durationHours,
		gpus_per_container: input.gpus,
		hardware_id: input.hardwareId,
		location_ids: input.locationIds,
		container_config: {
			replica_count: input.replicaCount,
			traffic_port: input.trafficPort,
			...set(program),
		},
		registry_config: { image_url: input.imageUrl, ...set({ registry_username, registry_secret }) },
	};
}

function set(values: ContainerSettings): IDataObject {
	return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
