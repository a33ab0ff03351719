import type { RetrievalScenario } from '../retrievalRecord.mts';

/** n8n's default. */
const WINDOW = 5;

const linesOf = (turns: string[]) => turns.flatMap((turn) => [`human ${turn}`, `ai re: ${turn}`]);

/** The memory of agents: two chats in turns, each turn in an execution of its own, and two turns at once. */
const memory: RetrievalScenario = {
	name: 'memory',
	async play(scene) {
		const stranger = scene.server.conversations.add('chat of a stranger');
		scene.server.conversations.append(stranger, 'user', 'not of Anna');
		for (let number = 1; number <= WINDOW + 2; number++) {
			await scene.say('anna', `anna ${number}`);
			if (number <= 2) await scene.say('bert', `bert ${number}`);
		}
		await Promise.all(['carl 1', 'carl 2'].map(async (turn) => await scene.say('carl', turn)));
		await scene.pause();
		for (const [session, chat] of scene.record.chats) {
			const shown = await scene.recall(session);
			if (shown === undefined) continue;
			scene.record.lists.push({
				what: `the memory of ${session}`,
				shown,
				wanted: linesOf(chat.saved.slice(-WINDOW)),
			});
		}
	},
};

export const memoryScenarios = [memory];
