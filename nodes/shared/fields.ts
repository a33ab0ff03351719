import type { INodeCredentialDescription, INodeProperties } from 'n8n-workflow';
import type { CredentialChoices } from './http/credentials';
import type { Parameters } from './operation/parameters';

/** How many at most, where there is no Return All. */
export const limitField: INodeProperties = {
	displayName: 'Limit',
	name: 'limit',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 50,
	description: 'Max number of results to return',
};

/** n8n's standard pair for lists: Return All, or at most Limit. */
export const limitFields: INodeProperties[] = [
	{
		displayName: 'Return All',
		name: 'returnAll',
		type: 'boolean',
		default: false,
		description: 'Whether to return all results or only up to a given limit',
	},
	{ ...limitField, displayOptions: { show: { returnAll: [false] } } },
];

/** What one resource locator has of its own. */
export interface Locator {
	displayName: string;
	name: string;
	description: string;
	/** Of the list: `Select a machine...`. */
	placeholder: string;
	/** The node's list search method that fills the list. */
	searchListMethod: string;
	/** Of the ID: `e.g. 12`. */
	idPlaceholder: string;
	/** What the ID is, where the label does not say it. */
	idHint?: string;
	/** An example of its name, where it can be chosen by exact name, too. */
	namePlaceholder?: string;
	/** Parameters that the list depends on. */
	dependsOn?: string[];
}

/** A field that chooses one thing from a live, searchable list, by its ID, or by its name where it has a unique one. */
export function locatorField(locator: Locator): INodeProperties {
	return {
		displayName: locator.displayName,
		name: locator.name,
		type: 'resourceLocator',
		required: true,
		default: { mode: 'list', value: '' },
		description: locator.description,
		...(locator.dependsOn && { typeOptions: { loadOptionsDependsOn: locator.dependsOn } }),
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				placeholder: locator.placeholder,
				typeOptions: { searchListMethod: locator.searchListMethod, searchable: true },
			},
			{
				displayName: 'By ID',
				name: 'id',
				type: 'string',
				placeholder: locator.idPlaceholder,
				hint: locator.idHint,
			},
			...(locator.namePlaceholder === undefined
				? []
				: [
						{
							displayName: 'By Name',
							name: 'name',
							type: 'string' as const,
							placeholder: locator.namePlaceholder,
							hint: 'The exact name; case and whitespace are significant',
						},
					]),
		],
	};
}

/**
 * Optional fields behind one button, whose text is `placeholder`. They stand in the order of their labels (n8n's
 * guidelines), wherever they come from: first those of no group, then the groups (`Sampling: Top P`), and last what is deprecated.
 */
export function collectionField(
	name: string,
	displayName: string,
	placeholder: string,
	fields: INodeProperties[],
	description?: string,
): INodeProperties {
	const options = [...fields].sort(
		({ displayName: a }, { displayName: b }) => rankOf(a) - rankOf(b) || compareLabels(a, b),
	);
	return {
		displayName,
		name,
		type: 'collection',
		placeholder,
		default: {},
		...(description && { description }),
		options,
	};
}

/** Place of a label among the fields of a collection. */
function rankOf(label: string): number {
	if (label.endsWith('(Deprecated)')) return 2;
	return label.includes(': ') ? 1 : 0;
}

const AUTHENTICATIONS: Record<string, string> = {
	accessToken: 'Access Token',
	apiKey: 'API Key',
	oAuth2: 'OAuth2',
};

/** The field that chooses one of a node's credentials; the first is the default. */
export function authenticationField({ choices }: CredentialChoices): INodeProperties {
	return {
		displayName: 'Authentication',
		name: 'authentication',
		type: 'options',
		options: choices.map(([value]) => ({ name: String(AUTHENTICATIONS[value]), value })),
		default: String(choices[0]?.[0]),
	};
}

/** The credentials that the Authentication field chooses from, each shown only where it is chosen. */
export function chosenCredentials({ choices }: CredentialChoices): INodeCredentialDescription[] {
	return choices.map(([authentication, name]) => ({
		name,
		required: true,
		displayOptions: { show: { authentication: [authentication] } },
	}));
}

/** Order of two English labels. `localeCompare` would load the tables of all languages: more than half of the time that n8n took to load the package. */
export function compareLabels(label: string, other: string): number {
	const [one, two] = [label.toLowerCase(), other.toLowerCase()];
	return one < two ? -1 : Number(one > two);
}

/** The most results to return, or undefined for all. */
export function readLimit(parameters: Parameters): number | undefined {
	return parameters.flag('returnAll') ? undefined : parameters.integer('limit', { min: 1 });
}
