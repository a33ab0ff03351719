import type { ChatHistory, Message } from '@n8n/ai-node-sdk';
import type { IDataObject } from 'n8n-workflow';
import { RAG } from '../intelligence/retrieval/paths';
import { listResults } from '../intelligence/retrieval/list';
import { show } from '../shared/guards';
import type { NodeError } from '../shared/http/errors';
import { replyError, send, type ApiRequest, type RequestContext } from '../shared/http/request';
import { contextError } from '../shared/operation/context';
import { isConfirmed, isRejected } from '../shared/operation/sendOnce';
import { inLine } from '../shared/operation/turn';
import { delay } from '../shared/time';
import {
	createdIn,
	entryOf,
	idOf,
	messageIdIn,
	messagesIn,
	newOne,
	saysStored,
	startOf,
	textIn,
	textOf,
	withWritten,
	type Entry,
	type Text,
} from './entries';
import { confirmCleared, confirmGone, isNotFound } from './gone';
import {
	forgetId,
	isCleared,
	isNew,
	isWrittenLately,
	knownId,
	noteBegun,
	noteCreated,
	noteWritten,
	rememberId,
	takeBegun,
	writtenLately,
} from './knownIds';
import { idsOf, isNameOf, safeName } from './names';

const PATH = `${RAG}/conversations/{id}`;
/** Pauses in milliseconds between looks for a conversation that was created or written just now: reads may be behind. */
const LOOK_PAUSES_MS = [0, 1_000, 2_000, 4_000];
/** How often a message is sent whose answer is lost, and how many conversations of a session may be gone in a row. */
const MAX_TRIES = 2;

/**
 * The chat history of one session as a conversation of the service with the name of the session. It has texts alone: the service has no
 * role for calls of tools and their results, and n8n's agent needs them within one turn only.
 */
export class Conversation implements ChatHistory {
	constructor(
		private readonly context: RequestContext,
		private readonly session: string,
	) {}

	/**
	 * All messages, the oldest first, also those of this process that a read does not show yet; none for a new session.
	 * @throws where the conversation cannot be read, though its list has it: an agent would go on without its memory
	 */
	async getMessages(): Promise<Message[]> {
		const shown = await this.read(true);
		const entries = shown ? withWritten(shown, writtenLately(this.key)) : [];
		return entries.map(({ role, text, id, name }) => ({
			role,
			id,
			name,
			content: [{ type: 'text', text }],
		}));
	}

	async addMessage(message: Message): Promise<void> {
		await this.addMessages([message]);
	}

	/**
	 * Adds messages in their order; the first ones of a session create its conversation. Where some of them were stored before a later
	 * one failed, n8n's Retry On Fail brings all of them again: these go on from there.
	 * @throws where the service may not have a message, or has said so
	 */
	async addMessages(messages: Message[]): Promise<void> {
		const texts = messages.flatMap(textOf);
		if (texts.length === 0) return;
		await inLine(this.context, ['conversation', this.session], async () => await this.store(texts));
	}

	private async store(texts: Text[], tries = 1): Promise<void> {
		const before = (await this.read()) ?? [];
		// As that read has found it: a message goes after those of the same conversation
		const found = knownId(this.key) ?? (await this.find());
		const id = found ?? (await this.create());
		if (found === undefined && (await this.find()) !== id) return await this.store(texts, tries);
		const stored = startOf(
			texts,
			takeBegun(this.key),
			withWritten(before, writtenLately(this.key)),
		);
		try {
			for (const text of texts.slice(stored.length)) {
				await this.append(id, text, before);
				stored.push(text);
			}
		} catch (caught) {
			const error = caught as NodeError;
			if (found === undefined || !isNotFound(error) || tries === MAX_TRIES) {
				noteBegun(this.key, stored);
				throw error;
			}
			await confirmGone(this.context, id, error);
			// The conversation has been deleted meanwhile, and what was stored in it
			forgetId(this.key);
			await this.store(texts, tries + 1);
		}
	}

	/**
	 * Deletes the conversation, and others with its name: one of them would be the memory of the session after that.
	 * @throws where the service keeps one, whatever it has answered
	 */
	async clear(): Promise<void> {
		const listed = this.named(await this.list());
		// A list may not show it yet
		const ids = new Set([knownId(this.key) ?? [], listed].flat());
		for (const id of ids) await this.remove(id);
		await confirmCleared(this.context, this.key, ids);
	}

	private async remove(id: string): Promise<void> {
		const spec = { method: 'DELETE', path: PATH, params: { id }, retry: 'idempotent' } as const;
		const reply = await send(this.context, spec);
		if (!isConfirmed(reply)) await confirmGone(this.context, id, replyError(this.context, reply));
	}

	private get key(): string {
		const { account, functions } = this.context;
		const credential = functions.getNode().credentials?.[account.credentialType]?.id;
		return JSON.stringify([account.baseUrl, account.segments, credential, this.session]);
	}

	/**
	 * The ID of the conversation. Until a list shows the one that this process has created, it may not show an older one of another
	 * process either, and the service may have said nothing of its name.
	 */
	private async find(): Promise<string | undefined> {
		const known = knownId(this.key);
		if (known === undefined) return await this.listed();
		if (!isNew(this.key)) return known;
		const all = await this.list().catch(() => []);
		const [oldest] = this.named(all);
		const own = all.find((one) => idOf(one) === known);
		if (oldest === undefined && own) await this.rename(known, textIn(own.name) ?? '');
		const id = oldest ?? (own && known);
		return id === undefined ? known : rememberId(this.key, id);
	}

	/** The ID that the list has; of several the oldest, so that all executions take the same one. */
	private async listed(): Promise<string | undefined> {
		const [oldest] = this.named(await this.list());
		return oldest && rememberId(this.key, oldest);
	}

	private async list(): Promise<IDataObject[]> {
		return await listResults(this.context, { path: '/conversations' });
	}

	/** The IDs of those with the name of the session, the oldest first. */
	private named(all: IDataObject[]): string[] {
		return idsOf(this.session, all).filter((id) => !isCleared(this.key, id));
	}

	/** Creates the conversation; as in {@link append}, a lost answer is looked up before it is sent once more. */
	private async create(): Promise<string> {
		const path = `${RAG}/conversations`;
		const body = { name: this.session };
		for (let tries = 1; ; tries++) {
			const reply = await send(this.context, { method: 'POST', path, body, retry: 'billed' });
			const created = createdIn(reply);
			const own = idOf(created);
			const name = textIn(created?.name);
			if (name !== undefined && !isNameOf(this.session, name)) await this.rename(own, name);
			const id = own ?? (isRejected(reply) ? undefined : await this.look());
			if (id !== undefined) {
				noteCreated(this.key, id);
				noteWritten(this.key);
				return id;
			}
			if (isRejected(reply) || tries === MAX_TRIES) throw replyError(this.context, reply);
		}
	}

	/** As {@link find}, for what may not be listed yet. */
	private async look(): Promise<string | undefined> {
		for (const pauseMs of LOOK_PAUSES_MS) {
			await delay(pauseMs, this.context.signal);
			const id = await this.find();
			if (id !== undefined) return id;
		}
		return undefined;
	}

	/**
	 * Gives a conversation a name that it can be found by, where the service has changed or dropped its own.
	 * @param id undefined where the service does not say it: then nothing can be changed
	 * @throws where the service changes that one too: the next start of n8n would begin another conversation
	 */
	private async rename(id: string | undefined, changed: string): Promise<void> {
		if (id !== undefined && isNameOf(this.session, await this.renamed(id))) return;
		const name = changed === '' ? 'no name' : `the name ${show(changed)}`;
		throw contextError(this.context, {
			message: `The service gives the conversation ${name}, not that of the session`,
			description:
				'It would not be found again, so no message was stored. Choose another session key.',
		});
	}

	/** Asks for the name that the service may leave as it is; returns what it says of it, or what the list shows. */
	private async renamed(id: string): Promise<unknown> {
		const body = { name: safeName(this.session) };
		const spec = { method: 'POST', path: PATH, params: { id }, body, retry: 'idempotent' } as const;
		const said = createdIn(await send(this.context, spec))?.name;
		if (textIn(said) !== undefined) return said;
		const all = await this.list().catch(() => []);
		return all.find((one) => idOf(one) === id)?.name;
	}

	/**
	 * The messages that the service shows; undefined where it shows no conversation.
	 * @param isNeeded whether it must be clear why none is shown, since an agent goes on with it; a write needs no read
	 */
	private async read(isNeeded = false, tries = 1): Promise<Entry[] | undefined> {
		const id = await this.find();
		if (id === undefined) return undefined;
		const list = {
			path: '/conversations/{id}',
			params: { id },
			entries: messagesIn,
			isNewestLast: true,
		};
		let error: NodeError;
		// What was just written is not gone, but the read is behind
		const isYoung = () => isNotFound(error) && isWrittenLately(this.key);
		for (const pauseMs of LOOK_PAUSES_MS) {
			await delay(pauseMs, this.context.signal);
			try {
				return (await listResults(this.context, list)).flatMap(entryOf);
			} catch (caught) {
				error = caught as NodeError;
				if (!isYoung()) break;
			}
		}
		if (isYoung() && !isNeeded) return undefined;
		await confirmGone(this.context, id, error!);
		// The list may be behind, too: only another one takes its place
		if (!isYoung()) forgetId(this.key);
		if ((await this.listed()) === undefined || tries === MAX_TRIES) return undefined;
		return await this.read(isNeeded, tries + 1);
	}

	/**
	 * Adds one message. If its answer is lost, the conversation tells whether it is there; if it is not, it is sent once more: a message
	 * that comes twice harms less than the answer of an agent that is lost with its error.
	 * @param before what a read has shown before this one and others were added
	 */
	private async append(id: string, text: Text, before: Entry[]): Promise<void> {
		const known = withWritten(before, writtenLately(this.key));
		const spec: ApiRequest = {
			method: 'POST',
			path: `${PATH}/messages`,
			params: { id },
			body: {
				content: text.text,
				role: text.role,
				parent_id: known.at(-1)?.id,
				...(text.name && { metadata: { name: text.name } }),
			},
			retry: 'billed',
		};
		for (let tries = 1; ; tries++) {
			const reply = await send(this.context, spec);
			const said = messageIdIn(reply, id);
			const isLost = said === undefined && !isRejected(reply);
			const own = isLost ? newOne((await this.read()) ?? [], known, text) : undefined;
			// A clear yes is believed, also where the list is behind: the message must not come twice
			if (own || saysStored(reply)) {
				const [place, first] = [known.length, known[0]];
				return noteWritten(this.key, { ...text, id: said ?? own?.id, place, first });
			}
			if (isRejected(reply) || tries === MAX_TRIES) throw replyError(this.context, reply);
		}
	}
}
