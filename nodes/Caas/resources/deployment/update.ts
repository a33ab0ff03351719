import type { IDataObject } from 'n8n-workflow';
import { contentOf, described, findDeployment, idOf } from '../../../marketplace/deployments';
import { deploymentField } from '../../../marketplace/fields';
import { CAAS, onProduct, type ProductContext } from '../../../marketplace/product';
import {
	factsOf,
	readReference,
	resolveDeployment,
	type Reference,
} from '../../../marketplace/references';
import { hidingSecrets } from '../../../marketplace/secrets';
import { stateOf } from '../../../marketplace/state';
import { collectionField } from '../../../shared/fields';
import { isRecord } from '../../../shared/guards';
import type { Reply } from '../../../shared/http/reply';
import { replyError, send } from '../../../shared/http/request';
import { parseAnswer } from '../../../shared/json';
import { contextError } from '../../../shared/operation/context';
import {
	isConfirmed,
	reconcileOwn,
	sendOnce,
	type Evidence,
	type Intent,
} from '../../../shared/operation/sendOnce';
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
import { openFields, shows } from '../../shownSettings';

interface Input {
	reference: Reference;
	settings: ContainerSettings;
	body: IDataObject;
}

/** What is noted before an update is sent: no values, since they may be secret. */
interface Note extends IDataObject {
	deployment_id: string;
	updated_fields: string[];
	/** The fields that the details showed otherwise before, or not at all: they can tell whether it was made. */
	telling: string[];
	/** Those that they showed otherwise. */
	former: string[];
}

/** `PATCH …/caas/deployment/{deployment_id}` (beyond-the-spec.md section 2); hardware, locations and replicas cannot change. */
export const update = onProduct<Input>(CAAS, {
	value: 'update',
	name: 'Update',
	action: 'Update container deployment',
	description:
		'Change the image, the environment or the command of a running deployment; its containers may be started again',
	effect: 'write',
	identifyingKeys: ['deployment_id', 'updated_fields'],
	fields: [
		deploymentField,
		collectionField(
			'updateFields',
			'Update Fields',
			'Add Field',
			[
				imageField,
				trafficPortField,
				environmentField,
				secretEnvironmentField,
				...moreContainerFields,
				{
					displayName: 'Command',
					name: 'command',
					type: 'string',
					default: '',
					placeholder: 'e.g. python3 server.py',
					description: 'The command to run, as one line',
				},
			],
			'What is not added here stays as it is. The service does not document whether variables that are left out of a new set stay.',
		),
	],
	input(parameters) {
		const form = parameters.group('updateFields');
		const settings = readContainerSettings(form, form);
		const changes = {
			...settings,
			image_url: form.text('imageUrl', { optional: true }),
			traffic_port: form.integer('trafficPort', { optional: true, min: 1, max: 65535 }),
			command: form.text('command', { optional: true }),
		};
		const body = Object.fromEntries(
			Object.entries(changes).filter(([, value]) => value !== undefined),
		) as IDataObject;
		if (Object.keys(body).length === 0)
			parameters.fail('updateFields', 'must have one field at least that is not empty');
		return { reference: readReference(parameters), settings, body };
	},
	async run(context, { reference, settings, body }) {
		const open = Object.fromEntries(openFields(body).map((key) => [key, body[key]]));
		const hidden = hidingSecrets(context, secretsIn(settings), open);
		return [await updateOnce(hidden, reference, body)];
	},
});

async function updateOnce(
	context: ProductContext,
	reference: Reference,
	body: IDataObject,
): Promise<IDataObject> {
	Object.assign(context.known, factsOf(reference));
	const noted = context.journal.intent() as Note | undefined;
	const made = noted && (await reconcileOwn(context, updateIntent(context, noted, body)));
	if (made) return made;
	const deploymentId = noted?.deployment_id ?? (await resolveDeployment(context, reference));
	context.known.deployment_id = deploymentId;
	const before = await findDeployment(context, deploymentId).catch(() => undefined);
	if (context.signal?.aborted) throw replyError(context, { kind: 'cancelled' });
	if (['ended', 'ending'].includes(stateOf(before?.status)))
		throw contextError(context, {
			message: `Deployment ${deploymentId} is "${String(before?.status)}" and cannot be updated`,
			description: 'Nothing was sent. Deploy a new one.',
		});
	const telling = before ? openFields(body).filter((key) => shows(before, body, key) !== true) : [];
	const note: Note = {
		deployment_id: deploymentId,
		updated_fields: Object.keys(body),
		telling,
		former: telling.filter((key) => shows(before ?? {}, body, key) === false),
	};
	const intent = updateIntent(context, note, body);
	const outcome = await sendOnce(
		context,
		intent,
		async () =>
			await send(context, {
				method: 'PATCH',
				path: `${context.product.path}/deployment/{deployment_id}`,
				params: { deployment_id: deploymentId },
				body,
				retry: 'ifUnsent',
			}),
	);
	if (outcome.state === 'rejected') throw replyError(context, outcome.reply);
	if (outcome.state === 'made') return outcome.item;
	return {
		...itemOf(note),
		updated: null,
		accepted: true,
		hint: `The service accepted the update, but ${outcome.problem}.`,
	};
}

function updateIntent(context: ProductContext, note: Note, body: IDataObject): Intent {
	const { deployment_id } = note;
	return {
		what: `Update of ${deployment_id}`,
		note,
		facts: { deployment_id },
		proof: (reply) => (saysYes(reply, note, body) ? itemOf(note, contentOf(reply)) : undefined),
		evidence: {
			source: 'its details',
			look: async () => evidenceOf(note, await findDeployment(context, deployment_id), body),
		},
		advice:
			'Look at the deployment (Deployment > Get) before you update it again. This item does not send it again.',
		cancelled: 'Cancelled while an update was under way: it may have been made.',
	};
}

/**
 * An answer without a value may be that of a proxy, and one that shows another deployment or the former settings proves nothing, nor
 * does one that leaves open by its own word whether it was updated. Where the details showed former settings, a word is not enough.
 */
function saysYes(reply: Reply, { deployment_id, former }: Note, body: IDataObject): boolean {
	if (!isConfirmed(reply)) return false;
	const answer = parseAnswer(reply.text);
	const isOther = (idOf(answer) ?? deployment_id).toLowerCase() !== deployment_id.toLowerCase();
	const said = contentOf(reply);
	const isFormer = openFields(body).some((key) => shows(said, body, key) === false);
	const isOpen = said.updated !== undefined && isBlank(said.updated);
	const isSeen = former.every((key) => shows(said, body, key));
	return isRecord(answer) && !isBlank(answer) && !isOther && !isFormer && !isOpen && isSeen;
}

/** Whether a value says nothing, however it is wrapped. */
function isBlank(value: unknown): boolean {
	if (Array.isArray(value) || isRecord(value)) return Object.values(value).every(isBlank);
	return value === null || value === false || value === '';
}

function itemOf(
	{ deployment_id, updated_fields }: Pick<Note, 'deployment_id' | 'updated_fields'>,
	said: IDataObject = {},
): IDataObject {
	return { ...described({ ...said, deployment_id }), updated: true, updated_fields };
}

/** What the details show now of what they did not show before; what they showed otherwise must show as it was sent. */
function evidenceOf(
	{ telling, ...note }: Note,
	details: IDataObject | undefined,
	body: IDataObject,
): Evidence {
	const seen = (key: string) => details && shows(details, body, key);
	const others = telling.filter((key) => seen(key) === false);
	if (others.length > 0)
		return {
			state: 'absent',
			problem: `its details show ${others.join(', ')} otherwise than sent`,
		};
	const unseen = note.former.filter((key) => !seen(key));
	return unseen.length === 0 && telling.some(seen)
		? { state: 'made', item: itemOf(note, details) }
		: { state: 'unknown', problem: 'its details do not tell whether it was made' };
}
