import type {
	IDataObject,
	INode,
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
	INodeTypeDescription,
} from 'n8n-workflow';

type Field = INodeProperties | INodePropertyCollection | INodePropertyOptions;

/** One operation of a node with a value in every field that it must have, all taken from its description. */
export interface TestedOperation {
	/** `vmaas deployment deploy`, or the name of a node that does one thing. */
	title: string;
	node: string;
	parameters: IDataObject;
	/** Every parameter that a person or an expression can fill in, in collections too. */
	leaves: Leaf[];
}

/** One parameter, and where it is. */
export interface Leaf {
	title: string;
	/** Labels that an error may name it by: its own and those of the collections around it. */
	labels: string[];
	/** The node's parameters with this one set, and with those set that it is shown with. */
	set(value: unknown): IDataObject;
	/** A value that fits. */
	sample: unknown;
}

/** Values that fit where a description does not show one. */
export type Samples = Record<string, unknown>;

/** Every operation of a node, from its description and the samples for what that does not show. */
export function testedOperations(
	description: INodeTypeDescription,
	samples: Samples,
): TestedOperation[] {
	const chosen = operationsOf(description);
	return chosen.map((choice) => {
		const reader = new ParameterReader(description, choice, samples);
		return {
			title: [description.name, ...Object.values(choice)].join(' '),
			node: description.name,
			parameters: reader.parameters(),
			leaves: reader.leaves(),
		};
	});
}

function operationsOf({ properties }: INodeTypeDescription): IDataObject[] {
	const valuesOf = (name: string, choice: IDataObject) =>
		properties
			.filter((field) => field.name === name && isShown(field, choice))
			.flatMap((field) =>
				(field.options ?? []).flatMap((option) =>
					'value' in option ? [String(option.value)] : [],
				),
			);
	const resources = valuesOf('resource', {});
	return resources.length === 0
		? [{}]
		: resources.flatMap((resource) =>
				valuesOf('operation', { resource }).map((operation) => ({ resource, operation })),
			);
}

/**
 * Whether what is chosen so far lets a field show; what is not chosen yet does not matter. What only tools of AI agents show,
 * the same in all operations, has its hostile values in integration/simplify.test.mts.
 */
function isShown(field: Field, choice: IDataObject): boolean {
	const chosen: IDataObject = { '@tool': false, ...choice };
	return Object.entries(shownWith(field)).every(
		([name, values]) => !(name in chosen) || values.includes(chosen[name]),
	);
}

function shownWith(field: Field): Record<string, unknown[]> {
	return (
		'displayOptions' in field && field.displayOptions?.show ? field.displayOptions.show : {}
	) as Record<string, unknown[]>;
}

class ParameterReader {
	private readonly fields: INodeProperties[];

	constructor(
		description: INodeTypeDescription,
		private readonly choice: IDataObject,
		private readonly samples: Samples,
	) {
		this.fields = description.properties.filter(
			(field) =>
				isShown(field, choice) &&
				field.type !== 'notice' &&
				!['resource', 'operation'].includes(field.name),
		);
	}

	/** The parameters of a node in which a person has filled in what is required. */
	parameters(): IDataObject {
		return { ...this.choice, ...this.valuesOf(this.fields) };
	}

	leaves(): Leaf[] {
		return this.fields.flatMap((field) =>
			this.leavesOf(
				field,
				[],
				(value, siblings) =>
					({ ...this.parameters(), ...siblings, [field.name]: value }) as IDataObject,
			),
		);
	}

	/** @param put all parameters with this one set to a value, beside values of its siblings */
	private leavesOf(
		field: Field,
		labels: string[],
		put: (value: unknown, siblings: IDataObject) => IDataObject,
	): Leaf[] {
		const all = [...labels, 'displayName' in field ? field.displayName : field.name];
		const siblings = Object.fromEntries(
			Object.entries(shownWith(field))
				.filter(([name]) => !(name in this.choice) && name !== '@tool')
				.map(([name, values]) => [name, values[0]]),
		) as IDataObject;
		const children = 'options' in field && field.options ? field.options : [];
		if ('type' in field && field.type === 'collection') {
			return children.flatMap((child) =>
				this.leavesOf(child, all, (value, beside) =>
					put({ ...beside, [child.name]: value } as IDataObject, siblings),
				),
			);
		}
		if ('type' in field && field.type === 'fixedCollection') {
			return children.flatMap((child) => {
				const rows = 'values' in child ? child.values : [];
				const whole = this.valuesOf(rows);
				return rows.flatMap((row) =>
					this.leavesOf(row, all, (value, beside) => {
						const entry = { ...whole, ...beside, [row.name]: value } as IDataObject;
						return put(
							{ [child.name]: field.typeOptions?.multipleValues ? [entry] : entry },
							siblings,
						);
					}),
				);
			});
		}
		const isLocator = 'type' in field && field.type === 'resourceLocator';
		const sample = this.valueOf(field);
		const leaf = {
			title: all.join(' > '),
			labels: all,
			set: (value: unknown) => put(value, siblings),
			sample,
		};
		if (!isLocator) return [leaf];
		const byId = (value: unknown) => put({ __rl: true, mode: 'id', value }, siblings);
		return [
			{ ...leaf, title: `${leaf.title} (by ID)`, set: byId, sample: (sample as IDataObject).value },
			leaf,
		];
	}

	private valuesOf(fields: Field[]): IDataObject {
		return Object.fromEntries(
			fields.map((field) => [field.name, this.valueOf(field)]),
		) as IDataObject;
	}

	private valueOf(field: Field): unknown {
		if (!('type' in field)) return undefined;
		const given = this.samples[field.name];
		if (field.type === 'resourceLocator')
			return {
				__rl: true,
				mode: 'id',
				value: given ?? exampleOf(field.modes?.find(({ name }) => name === 'id')?.placeholder),
			};
		if (given !== undefined) return given;
		if (field.type === 'collection') return {};
		if (field.type === 'fixedCollection') {
			return Object.fromEntries(
				(field.options ?? []).map((option) => {
					const entry = this.valuesOf('values' in option ? option.values : []);
					return [option.name, field.typeOptions?.multipleValues ? [entry] : entry];
				}),
			);
		}
		if (field.type === 'multiOptions')
			return (field.options ?? []).flatMap((option) => ('value' in option ? [option.value] : []));
		if (field.type === 'dateTime') return exampleOf(field.placeholder);
		if (field.type !== 'string' || field.default !== '') return field.default;
		const text = exampleOf(field.placeholder);
		return field.typeOptions?.multipleValues ? [text] : text;
	}
}

/** `e.g. us-east-1 or 12` shows `us-east-1`. */
function exampleOf(placeholder = 'e.g. example'): string {
	return placeholder.replace(/^e\.g\. /, '').split(' or ')[0] ?? '';
}

/** The node as an item's expression fills it in: `$json.value` is the parameter's value. */
export const FROM_ITEM = '={{ $json.value }}';

/** A node with these parameters. */
export function withParameters(
	node: Partial<INode> & Pick<INode, 'type'>,
	parameters: IDataObject,
): Partial<INode> & Pick<INode, 'type' | 'parameters'> {
	return { ...node, parameters: parameters as INode['parameters'] };
}
