import { aiNodes } from './ai-nodes.mts';
import { approval } from './approval.mts';
import { caas } from './caas.mts';
import { chatCompletion } from './chat-completion.mts';
import { chatModel } from './chat-model.mts';
import { computeTrigger } from './compute-trigger.mts';
import { costSafety } from './cost-safety.mts';
import { credentials } from './credentials.mts';
import { errors } from './errors.mts';
import { explorer } from './explorer.mts';
import { jobs } from './jobs.mts';
import { logsTrigger } from './logs-trigger.mts';
import type { Page } from './page.mts';
import { rag } from './rag.mts';
import { readme } from './readme.mts';
import { scaleOut } from './scale-out.mts';
import { vmaas } from './vmaas.mts';

/** Pages of which every sentence is listed. */
export const pages: Page[] = [
	aiNodes,
	approval,
	caas,
	chatCompletion,
	chatModel,
	computeTrigger,
	costSafety,
	credentials,
	errors,
	explorer,
	jobs,
	logsTrigger,
	rag,
	readme,
	scaleOut,
	vmaas,
];
