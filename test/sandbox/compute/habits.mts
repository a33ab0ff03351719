import { isRecord } from '../core/guards.mts';
import type { DeploymentState } from './deployment.mts';

/** What the contract leaves open about the compute service; each default is the documented or one plausible behaviour. */
export interface ComputeHabits {
	/** First page of the deployment lists (beyond-the-spec.md section 1 shows both). A page before it is the first page again. */
	firstPage: 0 | 1;
	/** Refuses a page before the first with 422 instead. */
	refusesPageBelowFirst: boolean;
	/** Entries of a page at most, whatever is asked for. */
	largestPage: number;
	/** A larger `page_size` is a 422. */
	refusesPagesAbove: number;
	oldestFirst: boolean;
	/** The list leaves out what is completed, failed or destroyed. */
	hidesEnded: boolean;
	/** Details of what is completed, failed or destroyed are a 404. */
	forgetsEnded: boolean;
	/** `hasNext`: no total, but whether there are more pages. */
	total: 'count' | 'true' | 'missing' | 'hasNext';
	/** The list does not know the parameter of the page. */
	ignoresPage: boolean;
	/** While somebody reads pages, a deployment that this client knows nothing of ends or arrives: one in 10 s. */
	moves: 'nothing' | 'ends' | 'arrives';
	/** The list takes no filter by status. */
	ignoresStatus: boolean;
	/** Under which key the deployment lists show the name. */
	nameField: 'name' | 'resource_private_name';
	/** The list shows when a deployment was created. */
	listsDates: boolean;
	/** What a list or details that the service does not have answer; undefined where it has them. */
	withoutList?: 404 | 405;
	withoutDetails?: 404 | 405;
	/** By how long the list, the details, and the finding of a deployment by a write are behind the purchases. */
	listLagMs: number;
	detailsLagMs: number;
	writeLagMs: number;
	/**
	 * For so long after details have first shown one that runs, an empty copy answers: it has no deployments. A DELETE of what
	 * it does not have is answered with `emptyCopyStatus`.
	 */
	emptyCopyMs: number;
	emptyCopyStatus: 404 | 200;
	lowersNames: boolean;
	/** Longer names are cut. */
	longestName: number;
	/** Other words for states. */
	stateWords: Partial<Record<DeploymentState, string>>;
	/** All numbers but those of ids are sent as text. */
	numbersAsText: boolean;
	dates: 'iso' | 'epoch' | 'local';
	/** Key of a deployment's id, everywhere. */
	idKey: string;
	/** VMaaS and CaaS count their deployments each for itself, so that both have the same ids. */
	idsPerProduct: boolean;
	/** Details and refusals of CaaS repeat secret variables and registry secrets. */
	echoesSecrets: boolean;
	/** Minutes count once for each GPU. */
	sumsMinutes: boolean;
	/** Which minutes of use are shown: all, none, or 0 until it runs. */
	minutes: 'all' | 'none' | 'fromStart';
	/** VMs and containers that were replaced stay in the list. */
	listsOldWorkers: boolean;
	/** An extension of what has ended is taken and charged. */
	extendsEnded: boolean;
	/** Factors of fees that the list does not show, by offer. */
	surcharges: Record<string, number>;
	/** What a successful deploy answers; with `request` the id of the request stands beside that of the deployment. */
	deployAnswer: 'flat' | 'data' | 'empty' | 'request';
	/** What a DELETE of an ended deployment answers. */
	endedStatus: 404 | 409 | 410;
	/** What becomes of the filters of the hardware list. `refused`: their names are unknown, which is a 422. */
	filters: 'honoured' | 'ignored' | 'refused';
	/** How the price answer differs; the bill never does. */
	price: 'right' | 'zero' | 'null' | 'oneReplica' | 'oneGpu' | 'withoutCounts' | 'otherCurrency';
}

export const documented: ComputeHabits = {
	firstPage: 0,
	refusesPageBelowFirst: false,
	largestPage: 100,
	refusesPagesAbove: 100,
	oldestFirst: false,
	hidesEnded: false,
	forgetsEnded: false,
	total: 'count',
	ignoresPage: false,
	moves: 'nothing',
	ignoresStatus: false,
	nameField: 'name',
	listsDates: false,
	withoutList: undefined,
	withoutDetails: undefined,
	listLagMs: 0,
	detailsLagMs: 0,
	writeLagMs: 0,
	emptyCopyMs: 0,
	emptyCopyStatus: 404,
	lowersNames: false,
	longestName: Infinity,
	stateWords: {},
	numbersAsText: false,
	dates: 'iso',
	idKey: 'id',
	idsPerProduct: false,
	echoesSecrets: false,
	sumsMinutes: false,
	minutes: 'all',
	listsOldWorkers: false,
	extendsEnded: false,
	surcharges: {},
	deployAnswer: 'flat',
	endedStatus: 404,
	filters: 'honoured',
	price: 'right',
};

/** The name under which the service keeps a deployment. */
export function storedName(
	{ lowersNames, longestName }: Pick<ComputeHabits, 'lowersNames' | 'longestName'>,
	name: string,
): string {
	return (lowersNames ? name.toLowerCase() : name).slice(0, longestName);
}

/** An answer in the service's own words: states, dates, numbers and the key of ids. */
export function worded(habits: ComputeHabits, value: unknown, key = ''): unknown {
	if (Array.isArray(value)) return value.map((one) => worded(habits, one, key));
	if (isRecord(value)) {
		const isDeployment = 'status' in value;
		return Object.fromEntries(
			Object.entries(value).map(([name, one]) => [
				isDeployment ? keyOf(habits, name) : name,
				worded(habits, one, name),
			]),
		);
	}
	if (typeof value === 'string' && key.startsWith('status'))
		return habits.stateWords[value as DeploymentState] ?? value;
	if (typeof value === 'string' && key.endsWith('_at')) return dateOf(habits, value);
	if (typeof value === 'number' && habits.numbersAsText && !key.endsWith('id'))
		return String(value);
	return value;
}

function keyOf({ idKey }: ComputeHabits, key: string): string {
	return idKey !== documented.idKey && (key === 'id' || key === 'deployment_id') ? idKey : key;
}

function dateOf({ dates }: ComputeHabits, iso: string): string | number {
	if (dates === 'iso') return iso;
	if (dates === 'epoch') return Date.parse(iso) / 1_000;
	const [year, month, day] = iso.slice(0, 10).split('-');
	return `${day}/${month}/${year} ${iso.slice(11, 16)}`;
}
