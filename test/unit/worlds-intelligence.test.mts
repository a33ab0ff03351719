import { describe, expect, it } from 'vitest';
import { intelligenceLaws } from '../worlds/laws/intelligence.mts';
import { vectorOf } from '../sandbox/intelligence/words.mts';
import { DIMENSIONS, type IntelligenceRecord } from '../worlds/intelligenceRecord.mts';

const call = (name: string) => ({ name: 'deploy', args: { name } });
const billed = (question: string, content: string) => ({
	body: { messages: [{ role: 'user', content: question }] },
	response: { choices: [{ message: { content } }] },
});

/** A record in which every law holds. */
const good = (): IntelligenceRecord => ({
	world: { name: 'a world', says: /token limit/, mustSucceed: ['answer'] },
	said: [
		{
			operation: 'answer',
			json: { content: 'A1.0 is it' },
			wanted: 'A1.0 is it',
			text: 'A1.0 is it',
		},
	],
	problems: [{ operation: 'agent', text: 'cut off at the token limit: A2.0' }],
	refusals: [{ operation: 'agent', reason: 'cut off' }],
	vectors: [{ texts: ['one'], vectors: [vectorOf('one', DIMENSIONS)] }],
	wanted: [call('A3.0')],
	runs: [call('A3.0')],
	lost: [],
	billed: [billed('Q1', 'A1.0 is it'), billed('Q2', 'A2.0 is'), billed('Q3', 'A3.0')],
});

/** What contradicts each law. */
const BREAKS: Record<string, (record: IntelligenceRecord) => void> = {
	'what must succeed, succeeds': ({ refusals }) =>
		refusals.push({ operation: 'answer', reason: 'no' }),
	'what was billed is in an output or an error': (record) =>
		record.billed.push(billed('Q4', 'A4.0 is it')),
	'a success has all of the text, or tool calls': ({ said }) =>
		said.push({ operation: 'answer', json: {}, wanted: 'A1.0 is it', text: 'A1.0' }),
	'nothing is paid twice under Retry On Fail': (record) =>
		record.billed.push(billed('Q1', 'A1.0 is it')),
	'no tool runs with arguments that the model did not send': ({ runs }) =>
		runs.push({ name: 'deploy', args: {} }),
	'no tool call runs twice': ({ runs }) => runs.push(call('A3.0')),
	'a picture arrives as it is, or is refused in words': ({ lost }) => lost.push('image_url'),
	'a vector store gets a vector for each text, that of the text, in their order': ({ vectors }) =>
		vectors.push({ texts: ['one', 'two'], vectors: [vectorOf('two', DIMENSIONS)] }),
	'tokens are counted': ({ said }) =>
		said.push({ operation: 'answer', json: {}, isUncounted: true }),
	'an error says what happened': ({ problems }) =>
		problems.push({ operation: 'answer', text: 'no' }),
};

/** The names of the laws that a record breaks. */
const brokenBy = (record: IntelligenceRecord) =>
	intelligenceLaws.filter(({ broken }) => broken(record).length > 0).map(({ name }) => name);

describe('the laws of the intelligence worlds', () => {
	it('hold in a record without a fault', () => expect(brokenBy(good())).toEqual([]));

	it.each(Object.entries(BREAKS))('%s', (name, change) => {
		const record = good();
		change(record);
		expect(brokenBy(record)).toEqual([name]);
	});

	it('each of them is broken by a test, but for the one of secrets, which each test is searched for', () => {
		const names = intelligenceLaws.map(({ name }) => name);
		expect(names.filter((name) => !(name in BREAKS))).toEqual(['no secret is told']);
	});

	it('a useless answer may be asked for again', () => {
		const record = good();
		record.world.isFaulty = true;
		record.billed.push(billed('Q1', 'A1.0 is it'));
		expect(brokenBy(record)).toEqual([]);
	});
});
