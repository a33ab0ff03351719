import type { IDataObject } from 'n8n-workflow';
import { numberOf } from '../shared/numbers';
import {
	isConfirmed,
	NOT_SENT_AGAIN,
	type Evidence,
	type Intent,
} from '../shared/operation/sendOnce';
import { isClearNo, mayBeDone } from './clearNo';
import { contentOf, described, getDeployment } from './deployments';
import { growthOf, paidSince, summandsOf, type PaidTime } from './paidTime';
import { billHint } from './priceLimits';
import type { ProductContext } from './product';

/** What is noted before an extension is sent, by the names of the output. */
export interface ExtensionNote extends IDataObject {
	product: string;
	account?: string;
	deployment_id: string;
	added_hours: number;
	before: PaidTime;
	prices: IDataObject;
}

export const ADVICE =
	'Check the remaining time of the deployment (Deployment > Get) before you extend it again.';

/** An extension for `sendOnce`: its answer or a later look at the details shows it. */
export function extendIntent(context: ProductContext, note: ExtensionNote): Intent {
	const { deployment_id, added_hours } = note;
	return {
		what: `Extension of ${deployment_id} by ${added_hours} hours`,
		note,
		facts: { deployment_id },
		proof: (reply) => {
			// It holds the details (beyond-the-spec.md section 1 "Extend")
			const evidence = isConfirmed(reply)
				? evidenceOf(context, note, contentOf(reply), true)
				: undefined;
			return evidence?.state === 'made' ? evidence.item : undefined;
		},
		isNo: isClearNo,
		mayBeDone,
		evidence: {
			source: 'its details',
			look: async () =>
				evidenceOf(context, note, await getDeployment(context, deployment_id), false),
		},
		warning: 'Do not extend it again before you have checked its remaining time (Deployment > Get)',
		advice: `${ADVICE} ${NOT_SENT_AGAIN}`,
		cancelled: `Cancelled while an extension by ${added_hours} hours was under way: it may have been made.`,
	};
}

/** What the extension costs, where that was read. */
export function priceIn({ prices }: ExtensionNote): number | undefined {
	return numberOf(prices.total_price);
}

/** The deployment for the output, with the hours that were added. */
export function extended(
	{ account }: ProductContext,
	{ deployment_id, added_hours, prices }: ExtensionNote,
	details: IDataObject,
): IDataObject {
	const shown = described({ ...details, deployment_id }, account.clockAheadMs);
	return { ...shown, added_hours, ...prices };
}

/**
 * Whether the details show the extension.
 * @param isAnswer whether they are the answer to it
 */
function evidenceOf(
	context: ProductContext,
	note: ExtensionNote,
	details: IDataObject,
	isAnswer: boolean,
): Evidence {
	const price = priceIn(note);
	const hint = billHint(paidSince(note.before, details), note.prices, 'more paid than before');
	return {
		...growthOf(note.before, details, {
			hours: note.added_hours,
			price,
			isAnswer,
			times: summandsOf(details, context.account.clockAheadMs),
		}),
		item: { ...extended(context, note, details), ...(hint !== undefined && { hint }) },
	};
}
