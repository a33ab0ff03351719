import { createRequire } from 'node:module';
import { setImmediate } from 'node:timers/promises';
import { waitOn } from '../sandbox/core/clock.mts';
import type { Sandbox } from '../sandbox/index.mts';
import { TEST_CLOCK } from '../../build.mts';
import { packageFolder } from './engine.mts';

/** The functions of the package's only clock (nodes/shared/time.ts). */
interface PackageTime {
	now(): number;
	elapsed(): number;
	deadline(ms: number): AbortSignal;
	delay(ms: number, signal?: AbortSignal): Promise<void>;
}

/** By how much the wall clock of a test is ahead of the one that counts what has elapsed: what compares the one with the other shows. */
export const WALL_AHEAD_MS = 3_600_000;

/** What the test package asks in place of its own clock: its functions are there to be replaced. */
export function packageTime(): PackageTime {
	createRequire(import.meta.url)(`${packageFolder()}/dist/index.js`);
	const clocks = globalThis as unknown as Record<symbol, PackageTime | undefined>;
	const time = clocks[Symbol.for(TEST_CLOCK)];
	if (!time) throw new Error(`${packageFolder()} is not built with the clock of the tests`);
	own ??= { ...time };
	return time;
}

/** The functions that the package was built with, from the first time that somebody asked for them to replace them. */
let own: PackageTime | undefined;

/**
 * Gives the package its own clock back. Files of a project share a process: with the clock that another one left behind, no
 * deadline would ever end.
 * @throws Error if a test has left another clock in its place
 */
export function expectOwnTime(): void {
	if (!own) return;
	const time = packageTime();
	const left = Object.entries(own).filter(([name, one]) => time[name as keyof PackageTime] !== one);
	Object.assign(time, own);
	if (left.length > 0)
		throw new Error(`A test has left its clock in place: ${left.map(([name]) => name).join(', ')}`);
}

/** The package on the sandbox's clock: a wait moves the clock and takes no time. */
export interface SandboxTime {
	/** Every wait of the package in milliseconds, in order. */
	waits: number[];
	/** Called at the beginning of each wait. */
	onWait?: (ms: number) => void | Promise<void>;
	restore(): void;
}

/** Puts the sandbox's clock in place of the package's. */
export function useSandboxTime(sandbox: Sandbox): SandboxTime {
	const time = packageTime();
	const real = { ...time };
	const controls: SandboxTime = {
		waits: [],
		restore: () => Object.assign(time, real),
	};
	time.now = () => sandbox.clock.now();
	time.elapsed = () => sandbox.clock.now() - WALL_AHEAD_MS;
	time.deadline = (ms) => {
		const controller = new AbortController();
		void waitOn(sandbox.clock, ms, new AbortController().signal).then(() => controller.abort());
		return controller.signal;
	};
	time.delay = async (ms, signal) => {
		if (ms <= 0 || signal?.aborted) return;
		controls.waits.push(ms);
		await controls.onWait?.(ms);
		if (signal?.aborted) return;
		sandbox.clock.advance(ms);
		await setImmediate();
	};
	return controls;
}

/** Cuts the package's pauses to a fraction, in real time. */
export function useHaste(factor: number): void {
	const time = packageTime();
	const { delay } = time;
	time.delay = async (ms, signal) => await delay(Math.ceil(ms / factor), signal);
}

/** The package without its pauses, and with deadlines that are over when a test says so. */
export interface HastyTime {
	/** Every deadline that was set until now is over. */
	expire(): void;
	restore(): void;
}

/** Takes the pauses out of the package, for services that answer badly again and again. A deadline still ends in its own time. */
export function useHastyTime(): HastyTime {
	const time = packageTime();
	const real = { ...time };
	const open: AbortController[] = [];
	let skippedMs = 0;
	time.deadline = (ms) => {
		const controller = new AbortController();
		open.push(controller);
		// No combined signal: it may be collected as garbage before it fires, and a busy machine has the time for that
		real.deadline(ms).addEventListener('abort', () => controller.abort());
		return controller.signal;
	};
	time.elapsed = () => real.elapsed() + skippedMs;
	time.delay = async (ms) => {
		skippedMs += Math.max(0, ms);
		await setImmediate();
	};
	return {
		expire: () => open.splice(0).forEach((controller) => controller.abort()),
		restore: () => Object.assign(time, real),
	};
}

/** Resolves when the condition holds; looks at every turn of the event loop. */
export async function until(condition: () => boolean): Promise<void> {
	while (!condition()) await setImmediate();
}
