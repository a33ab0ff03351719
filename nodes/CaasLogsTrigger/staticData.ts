import type { IDataObject, INode, ITriggerFunctions } from 'n8n-workflow';
import { isRecord } from '../shared/guards';

/** The logs triggers of one workflow in this process, since the first one was activated and until the last one is closed. */
interface Siblings {
	active: number;
	/** What each has written last, by the name of its node. */
	written: Map<string, { node: INode; content: IDataObject }>;
}

/**
 * By workflow. Triggers that were published at different times have a copy of the workflow's static data each, and n8n saves the
 * whole copy of the one that saves: without the others' content, a save would take their offsets back to those of its activation.
 */
const workflows = new Map<string, Siblings>();

/**
 * To be called at an activation, before anything is written.
 * @returns to be called when the trigger is closed, after its last save
 */
export function joinSiblings(functions: ITriggerFunctions): () => void {
	const { id = '' } = functions.getWorkflow();
	const siblings = workflows.get(id) ?? { active: 0, written: new Map() };
	workflows.set(id, siblings);
	siblings.active++;
	return () => {
		siblings.active--;
		// Another process may have them next
		if (siblings.active === 0) workflows.delete(id);
	};
}

/**
 * Writes a node's content into its static data, and that of its siblings into theirs.
 * @returns false where the static data of the node is no object, so that nothing can be saved in it
 */
export function writeStaticData(functions: ITriggerFunctions, content: IDataObject): boolean {
	const own: unknown = functions.getWorkflowStaticData('node');
	if (!isRecord(own)) return false;
	Object.assign(own, content);
	const node = functions.getNode();
	const written = workflows.get(functions.getWorkflow().id ?? '')?.written;
	for (const other of written?.values() ?? []) {
		if (other.node.name === node.name) continue;
		const data = staticDataOf(functions, other.node);
		// An n8n that looks at nothing but the node of the trigger
		if (data !== own && isRecord(data)) Object.assign(data, other.content);
	}
	written?.set(node.name, { node, content });
	return true;
}

/** That of another node, in the copy of this one. */
function staticDataOf(functions: ITriggerFunctions, node: INode): unknown {
	const others = Object.create(functions, { node: { value: node } }) as ITriggerFunctions;
	return others.getWorkflowStaticData('node');
}
