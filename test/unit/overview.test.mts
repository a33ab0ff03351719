import { expect, it } from 'vitest';
import { overviewOf } from '../e2e/overview.mts';
import { exampleFiles, readExample } from '../e2e/workflow.mts';

it('the overview links to each example, and says what it does', () => {
	const examples = exampleFiles().map((file) => ({ id: file, workflow: readExample(file) }));
	const { nodes } = overviewOf(examples);
	const texts = nodes.map(({ parameters }) => (parameters as { content: string }).content);
	for (const { id, workflow } of examples) {
		const [text = ''] = texts.filter((one) => one.includes(`[${workflow.name}](/workflow/${id})`));
		expect(text.length).toBeGreaterThan(workflow.name.length + 80);
	}
	expect(new Set(nodes.map(({ position }) => String(position))).size).toBe(examples.length + 1);
});
