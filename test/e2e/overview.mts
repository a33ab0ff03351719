import type { WorkflowFile, WorkflowNode } from './workflow.mts';

const COLUMNS = 3;
const WIDTH = 480;
const HEIGHT = 240;
const GAP = 40;
const HEAD_HEIGHT = 200;

export interface SavedExample {
	id: string;
	workflow: WorkflowFile;
}

/** The workflow that `npm run n8n` opens with: a note for each example with what it does and a link to it */
export function overviewOf(examples: SavedExample[]): WorkflowFile {
	const head = note(
		'Overview',
		'## Examples of Compute Marketplace\nEach note links to a workflow that you can execute: credentials and sandbox are set up, and nothing is bought. Begin with **Deploy, extend, destroy**.\n\nIn your own n8n, a note in each example says what to fill in.',
		[0, 0],
		[COLUMNS * WIDTH + (COLUMNS - 1) * GAP, HEAD_HEIGHT],
	);
	const notes = examples.map(({ id, workflow }, index) => {
		const column = index % COLUMNS;
		const row = Math.floor(index / COLUMNS);
		return note(
			workflow.name,
			`### [${workflow.name}](/workflow/${id})\n${whatItDoes(workflow)}`,
			[column * (WIDTH + GAP), HEAD_HEIGHT + GAP + row * (HEIGHT + GAP)],
			[WIDTH, HEIGHT],
		);
	});
	return { name: 'Overview', nodes: [head, ...notes], connections: {}, settings: {} };
}

/** The first paragraph of the example's own note */
function whatItDoes({ name, nodes }: WorkflowFile): string {
	const own = nodes.find(({ type }) => type.endsWith('.stickyNote'));
	const { content = '' } = (own?.parameters ?? {}) as { content?: string };
	const [, paragraph] = /^## .+\n(.+)/.exec(content) ?? [];
	if (paragraph === undefined) throw new Error(`"${name}" has no note that says what it does`);
	return paragraph;
}

function note(
	name: string,
	content: string,
	position: [number, number],
	[width, height]: [number, number],
): WorkflowNode {
	const parameters = { content, width, height };
	return {
		id: name,
		name,
		type: 'n8n-nodes-base.stickyNote',
		typeVersion: 1,
		position,
		parameters,
	};
}
