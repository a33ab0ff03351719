import { Clock as ServiceClock } from '../money/clock.mts';

const LONGEST_HOURS = 12;

/** The clock of the marketplace, which the machines share. */
export class Clock extends ServiceClock {
	/** What the machines do: a text that changes with it, and whether something is on its way. */
	others: () => { moved: string; isBusy: boolean } = () => ({ moved: '', isBusy: false });
	onPass: () => void = () => undefined;

	constructor() {
		super(LONGEST_HOURS);
	}

	/** Lets so much time go by, with all that happens in it. */
	async goBy(ms: number): Promise<void> {
		await this.during(this.wait(ms));
	}

	override pass(ms: number): void {
		super.pass(ms);
		this.onPass();
	}

	protected override beside(): { moved: string; isBusy: boolean } {
		return this.others();
	}
}
