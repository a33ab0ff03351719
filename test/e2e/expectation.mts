import { expect } from 'vitest';
import type { Sandbox, SandboxOptions } from '../sandbox/index.mts';
import type { Execution } from './rest.mts';
import type { Start } from './workflow.mts';

/** An execution of an example, from one of its triggers */
export interface ExpectedExecution extends Start {
	/** The items of each node: how many, or the fields that they must have. A node that is not listed must not run */
	nodes: Record<string, number | object[]>;
	/** The error that it ends with, where it must fail */
	error?: RegExp;
	/** What a person chooses in the form of a node after the execution before: parameters by node */
	choices?: (before: Execution) => Record<string, object>;
}

export interface Expectation {
	/** How the service behaves */
	options?: () => SandboxOptions;
	/** What exists before the example runs */
	prepare?: (sandbox: Sandbox) => Promise<void>;
	executions: ExpectedExecution[];
	/** The fields of every deployment that was bought, in the end */
	deployments: object[];
}

/** A text that matches */
export const like = (pattern: RegExp) => expect.stringMatching(pattern) as unknown;
