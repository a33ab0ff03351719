import { runInNewContext } from 'node:vm';
import type { IDataObject } from 'n8n-workflow';
import { expect, it } from 'vitest';
import { spendingHints } from '../../nodes/marketplace/priceLimits.ts';

const UNLIMITED =
	'warning: No price limit is set: this node buys at any price. Set Maximum Hourly Price or Maximum Price.';
const SEVERAL =
	'info: There are several input items: this node buys for each, unless Execute Once is on in its settings.';
const DRY = 'info: Dry Run is on: the node shows the request and its price, and buys nothing.';

/** What the editor says of a node with these parameters and so many input items, before it is executed. */
function shown($parameter: IDataObject, items = 1): string[] {
	const $input = { all: () => Array.from({ length: items }) };
	return spendingHints(['deploy', 'extend']).flatMap((hint) => {
		expect(hint).toMatchObject({ location: 'outputPane', whenToDisplay: 'beforeExecution' });
		const [, condition = ''] = /^=\{\{(.*)\}\}$/.exec(hint.displayCondition ?? '') ?? [];
		return runInNewContext(condition, { $parameter, $input }) === true
			? [`${hint.type}: ${hint.message}`]
			: [];
	});
}

const buying = (safety?: IDataObject) => ({ resource: 'deployment', operation: 'deploy', safety });

it.each<[string, IDataObject, number, string[]]>([
	['without a limit', buying({ maxPrice: '', maxHourlyPrice: null }), 1, [UNLIMITED]],
	['without the collection', buying(), 1, [UNLIMITED]],
	['that extends without a limit', { ...buying(), operation: 'extend' }, 1, [UNLIMITED]],
	['with a limit of 0', buying({ maxPrice: 0 }), 1, []],
	['with an hourly limit', buying({ maxHourlyPrice: 2 }), 1, []],
	['with a limit, and two items', buying({ maxPrice: 2 }), 2, [SEVERAL]],
	['without a limit, and two items', buying({}), 2, [UNLIMITED, SEVERAL]],
	['as a dry run with two items', buying({ dryRun: true }), 2, [DRY]],
	['that reads', { ...buying({ dryRun: true }), operation: 'get' }, 2, []],
	['of another resource', { ...buying({}), resource: 'job' }, 2, []],
])('a node %s says what it will spend', (_, parameters, items, hints) => {
	expect(shown(parameters, items)).toEqual(hints);
});
