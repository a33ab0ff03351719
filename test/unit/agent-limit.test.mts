import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import {
	allowAiAgentsField,
	requireAllowedByPerson,
	requireLimitByPerson,
} from '../../nodes/marketplace/agentLimit.ts';
import type { PriceLimits } from '../../nodes/marketplace/priceLimits.ts';
import type { ProductContext } from '../../nodes/marketplace/product.ts';
import { NODE } from './log-parts.mts';
import { Market, productContext, refusalOf } from './market-parts.mts';

type Caller = 'agent' | 'engine' | 'workflow';

/** A node with these parameters as they are saved, called by an AI agent itself, by n8n's engine for one, or by none. */
async function called(parameters: IDataObject, by: Caller = 'agent'): Promise<ProductContext> {
	const context = await productContext(new Market());
	Object.assign(context.functions, {
		isToolExecution: () => by === 'agent',
		getNode: () => ({
			...NODE,
			parameters,
			...(by === 'engine' && { rewireOutputLogTo: 'ai_tool' }),
		}),
	});
	return context;
}

const refusal = async (work: () => void) => await refusalOf(Promise.resolve().then(work));

describe('an AI agent that spends money', () => {
	const said = async (limits: Partial<PriceLimits>, parameters: IDataObject, by?: Caller) => {
		const context = await called(parameters, by);
		return await refusal(() => requireLimitByPerson(context, { currency: 'usdc', ...limits }));
	};
	const EXPRESSION = '={{ $json.x }}';

	it.each<[string, Partial<PriceLimits>, IDataObject, Caller?]>([
		['a fixed price', { maxPrice: 5 }, { safety: { maxPrice: 5 }, durationHours: EXPRESSION }],
		['a price of 0', { maxPrice: 0 }, { safety: { maxPrice: 0 } }],
		['a fixed price as text', { maxPrice: 5 }, { safety: { maxPrice: ' 5=' } }],
		[
			'an hourly price and fixed hours',
			{ maxHourlyPrice: 5 },
			{ safety: { maxHourlyPrice: 5 }, durationHours: 2 },
		],
		[
			'an hourly price and fixed hours, beside a price that is not fixed',
			{ maxPrice: 9, maxHourlyPrice: 5 },
			{ safety: { maxPrice: EXPRESSION, maxHourlyPrice: 5 }, durationHours: 2 },
		],
		['no limit, where no agent calls', {}, {}, 'workflow'],
	])('may do so under %s', async (_, limits, parameters, by) => {
		expect(await said(limits, parameters, by)).toBeUndefined();
	});

	it.each<[string, Partial<PriceLimits>, IDataObject, Caller?]>([
		['no limit', {}, { safety: {}, durationHours: 2 }],
		['no limit, called by the engine', {}, { safety: {} }, 'engine'],
		['a limit that is left empty', {}, { safety: { maxPrice: '' } }],
		['a price that is computed', { maxPrice: 5 }, { safety: { maxPrice: EXPRESSION } }],
		['a collection that is computed', { maxPrice: 5 }, { safety: EXPRESSION }],
		[
			'a currency that is computed',
			{ maxPrice: 5 },
			{ safety: { maxPrice: 5, currency: EXPRESSION } },
		],
		[
			'an hourly price and hours that are computed',
			{ maxHourlyPrice: 5 },
			{ safety: { maxHourlyPrice: 5 }, durationHours: EXPRESSION },
		],
		[
			'an hourly price that is computed',
			{ maxHourlyPrice: 5 },
			{ safety: { maxHourlyPrice: EXPRESSION }, durationHours: 2 },
		],
	])('must not under %s', async (_, limits, parameters, by) => {
		expect(await said(limits, parameters, by)).toEqual({
			message:
				'An AI agent may spend money only under a price limit that a person has set: set Safety > Maximum Price to a fixed value, not an expression',
			description:
				'An expression does not count, since the model may decide what it gives. Maximum Hourly Price alone counts only with fixed hours. Currency must be fixed, too. Nothing was sent.',
			known: {},
		});
	});
});

describe('an AI agent that does what a person must allow', () => {
	const said = async (options: unknown, by?: Caller, otherwise?: string) => {
		const context = await called({ options } as IDataObject, by);
		return await refusal(() =>
			requireAllowedByPerson(context, 'Destroy Many', 'Nothing was destroyed', otherwise),
		);
	};
	const MESSAGE =
		'Destroy Many is not allowed for AI agents. Nothing was destroyed. A person must add the option Allow AI Agents to this node and turn it on';

	it.each<[unknown, Caller]>([
		[{ allowAiAgents: true }, 'agent'],
		[{ allowAiAgents: true }, 'engine'],
		[{ allowAiAgents: false }, 'workflow'],
		[undefined, 'workflow'],
	])('may do so with the options %j, called by an %s', async (options, by) => {
		expect(await said(options, by)).toBeUndefined();
	});

	it.each([{}, { allowAiAgents: false }, { allowAiAgents: '={{ true }}' }, '={{ $json }}', null])(
		'must not with the options %j',
		async (options) => {
			expect((await said(options))?.message).toBe(MESSAGE);
			expect((await said(options, 'engine'))?.message).toBe(MESSAGE);
		},
	);

	it('is told what it may do all the same', async () => {
		expect((await said({}, 'agent', ', or list them'))?.message).toBe(`${MESSAGE}, or list them`);
	});

	it('is allowed by a switch that is off and takes no expression', () => {
		expect(allowAiAgentsField('Whether it may')).toEqual({
			displayName: 'Allow AI Agents',
			name: 'allowAiAgents',
			type: 'boolean',
			default: false,
			noDataExpression: true,
			description: 'Whether it may',
		});
	});
});
