import { describe, inject } from 'vitest';
import { byTestId, nodeOnCanvas, openCanvas } from './browser.mts';
import { test } from './fixture.mts';
import { tryForm } from './forms.mts';
import { choicesOf } from './operations.mts';
import { partOf } from './part.mts';
import { ownNodeTypes, Rest, type NodeTypeDescription } from './rest.mts';

const COLUMNS = 4;

/** The nodes of each file of form tests: the files are tried in browsers side by side, and take as long as each other */
const GROUPS = {
	rag: ['rag'],
	models: [
		'lmChatCompute',
		'embeddingsCompute',
		'retrieverCompute',
		'memoryCompute',
		'chatCompletion',
	],
	marketplace: ['explorer', 'vmaas', 'caas', 'caasLogsTrigger', 'computeTrigger'],
};

/** Tests each form of the nodes of a group. Throws where a node is in no group */
export async function describeForms(group: keyof typeof GROUPS): Promise<void> {
	const { url, session } = inject('n8n');
	const types = await ownNodeTypes(new Rest(url, session));
	const nameOf = ({ name }: NodeTypeDescription) => name.replace(/^.*\./, '');
	const known = Object.values(GROUPS).flat();
	const forgotten = types.map(nameOf).filter((name) => !known.includes(name));
	if (forgotten.length > 0) throw new Error(`Nobody tries the forms of ${forgotten.join(', ')}`);
	for (const type of types) if (GROUPS[group].includes(nameOf(type))) describeNode(type);
}

function describeNode(type: NodeTypeDescription): void {
	describe(type.displayName, () => {
		const choices = choicesOf(type);
		const tried = partOf(choices);
		let workflowId = '';

		test.beforeAll(async ({ rest, credentials, browser }) => {
			workflowId = await rest.createWorkflow({
				name: type.displayName,
				nodes: nodesOf(type, credentials),
				connections: {},
			});
			await openCanvas(browser, workflowId, choices[0]?.label ?? '');
		});

		test('the canvas shows a node for each form', async ({ editor: { page, pictures } }) => {
			for (const { label } of choices) await nodeOnCanvas(page, label).waitFor();
			await pictures.window(`canvas ${type.displayName}`);
		});

		test.for(tried.map((choice) => [choice.label, choice] as const))(
			'the form of %s shows its fields, fills its dropdowns and obeys its switches',
			async ([, choice], { editor }) => {
				// The form that a failed test has left open covers the nodes
				if (await byTestId(editor.page, 'node-parameters').isVisible())
					await openCanvas(editor, workflowId, choice.label);
				await tryForm(editor, type, choice);
			},
		);
	});
}

/** A node for each form of this type, with every credential that it can use */
function nodesOf(type: NodeTypeDescription, credentials: Record<string, string>): object[] {
	const usable = (type.credentials ?? []).map(
		({ name }) => [name, { id: credentials[name], name }] as const,
	);
	return choicesOf(type).map(({ label, parameters }, index) => ({
		id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
		name: label,
		type: type.name,
		typeVersion: Math.max(...[type.version].flat()),
		position: [(index % COLUMNS) * 260, Math.floor(index / COLUMNS) * 200],
		parameters,
		credentials: Object.fromEntries(usable),
	}));
}
