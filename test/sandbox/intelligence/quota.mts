import { Refusal } from '../core/http.mts';
import type { Service } from '../core/service.mts';

const HOUR_MS = 3_600_000;
/** Credits that a token costs: each model has its own rate (intelligence-api.md, "Limits"). */
const RATES: Record<string, number> = {
	'deepseek-ai/DeepSeek-R1-0528': 4,
	'Qwen/Qwen3-235B-A22B-Thinking': 3,
};

/** A model that only a higher plan covers. */
export const PREMIUM_MODEL = 'premium/Frontier-1T';

/** One pool of credits for all models, refilled at every full hour (intelligence-api.md, "Limits"). */
export class Quota {
	private hour = -1;
	private used = 0;

	constructor(private readonly service: Pick<Service, 'clock' | 'settings'>) {}

	/** Lets a request through, or refuses it with 402 or 429. */
	admit(model: string): void {
		if (model === PREMIUM_MODEL)
			throw new Refusal(402, {
				error: {
					message: 'This model needs the Professional plan',
					type: 'plan_error',
					code: 'plan_too_low',
				},
			});
		const { creditsPerHour, namesRetryAfter } = this.service.settings;
		const now = this.turn();
		if (this.used < creditsPerHour) return;
		const seconds = Math.ceil(((this.hour + 1) * HOUR_MS - now) / 1_000);
		throw new Refusal(
			429,
			{
				error: {
					message: 'The hourly credits are used up',
					type: 'quota_error',
					code: 'quota_exceeded',
				},
			},
			'application/json',
			namesRetryAfter ? { 'retry-after': String(seconds) } : {},
		);
	}

	charge(model: string, tokens: number): void {
		this.turn();
		this.used += tokens * (RATES[model] ?? 1);
	}

	clear(): void {
		this.hour = -1;
		this.used = 0;
	}

	private turn(): number {
		const now = this.service.clock.now();
		const hour = Math.floor(now / HOUR_MS);
		if (hour !== this.hour) this.used = 0;
		this.hour = hour;
		return now;
	}
}
