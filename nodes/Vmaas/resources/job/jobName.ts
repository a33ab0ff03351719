import { createHash } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import { nameOf } from '../../../marketplace/deployments';
import { uniqueNameOf } from '../../../marketplace/deploymentName';
import type { ProductContext } from '../../../marketplace/product';
import { similarlyNamed } from '../../../marketplace/similarNames';
import { stateOf } from '../../../marketplace/state';
import type { Parameters } from '../../../shared/operation/parameters';

/** What a deployment of a job is for. It is a part of its name, so that the clean-up of Run never ends what Start has begun. */
export type JobKind = 'run' | 'start';

/** With the marker and the suffix, a name is at most 60 characters long. */
const LONGEST_KEY = 40;
const LONGEST_NODE_NAME = 20;

/** Digits that make a name unique; the check digits follow, which only a job writes. */
const UNIQUE_DIGITS = 7;
const CHECK_DIGITS = 3;

/** The Job Key of the form; undefined where it is left empty. */
export function readJobKey(parameters: Parameters): string | undefined {
	const key = parameters.text('jobKey', { optional: true });
	if (key === undefined) return undefined;
	if (key.length > LONGEST_KEY || !/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(key))
		parameters.fail(
			'jobKey',
			`must have at most ${LONGEST_KEY} characters, only letters, digits and . _ -, and begin with a letter or digit, got "${key.slice(0, 60)}"`,
		);
	return key;
}

/** The key of a job that has none of its own: of the node in its workflow in this n8n, the same in each execution. */
export function defaultJobKey({ functions }: ProductContext): string {
	const { id, name } = functions.getWorkflow();
	const node = functions.getNode();
	const readable = node.name
		.replace(/[^A-Za-z0-9]+/g, '-')
		.replace(/^-|-$/g, '')
		.slice(0, LONGEST_NODE_NAME);
	const digest = createHash('sha256')
		.update(JSON.stringify([functions.getInstanceId(), id ?? name, node.name]))
		.digest('hex');
	return `${readable || 'job'}-${digest.slice(0, 8)}`;
}

/** What all names of a job's deployments begin with. */
export function namePrefix(key: string, kind: JobKind): string {
	return `${key}-${kind}`;
}

/** The name of the deployment of this item of this execution. */
export function jobName(context: ProductContext, key: string, kind: JobKind): string {
	const prefix = namePrefix(key, kind);
	const name = uniqueNameOf(context, prefix);
	return markedName(name.slice(0, prefix.length + 1 + UNIQUE_DIGITS));
}

/** A name with its check digits: one that a person has chosen, or Deploy with Unique Name, does not have them. */
export function markedName(name: string): string {
	const digest = createHash('sha256').update(name.toLowerCase()).digest('hex');
	return `${name}${digest.slice(0, CHECK_DIGITS)}`;
}

/** The ID of the job on its VM: what makes the name unique. */
export function jobIdOf(name: string): string {
	return name.slice(name.lastIndexOf('-') + 1);
}

/**
 * Whether a name that the service shows is that of this job, in whatever case. One that was cut, or that all deployments share, is
 * not: others may have it, too.
 */
export function isNameOfJob(shown: string, jobId: string): boolean {
	return jobOfName(shown) === jobId;
}

/** The ID of the job that a name is of; undefined where it is none of a job, or does not show it whole. */
export function jobOfName(shown: string): string | undefined {
	const name = shown.toLowerCase();
	return name === markedName(name.slice(0, -CHECK_DIGITS)) ? jobIdOf(name) : undefined;
}

/** The deployments of a list that were begun by Run for a job and have not ended. */
export interface RunsOf {
	/** Their names say so; a service may have written them in lower case. */
	certain: IDataObject[];
	/** A service may have cut their names: they may be of another job. */
	uncertain: IDataObject[];
}

export function runsOf(entries: IDataObject[], key: string): RunsOf {
	const prefix = `${namePrefix(key, 'run')}-`.toLowerCase();
	const isOpen = ({ status }: IDataObject) => !['ended', 'ending'].includes(stateOf(status));
	const isCertain = (entry: IDataObject) => {
		const name = nameOf(entry)?.toLowerCase() ?? '';
		const digits = name.slice(prefix.length, prefix.length + UNIQUE_DIGITS);
		return /^[0-9a-f]+$/.test(digits) && name === markedName(`${prefix}${digits}`);
	};
	const open = entries.filter(isOpen);
	return {
		certain: open.filter(isCertain),
		uncertain: similarlyNamed(entries, prefix, 'prefix')
			.filter(isOpen)
			.filter((entry) => {
				const name = nameOf(entry)!.toLowerCase();
				// Cut before its digits, or among them
				return !name.startsWith(prefix) || /^[0-9a-f]{0,9}$/.test(name.slice(prefix.length));
			}),
	};
}
