/** Plain lines that a person and `.ci/run` can both read: `ok …`, `FAILED …`, and at the end `N passed, N failed` */
export class Report {
	#passed = 0;

	#failed = 0;

	check(name: string, passed: boolean, detail = ''): boolean {
		if (passed) {
			this.#passed += 1;
			console.log(`ok ${name}`);
		} else {
			this.#failed += 1;
			console.log(`FAILED ${name}${detail && `\n${detail.replace(/^/gm, '    ')}`}`);
		}
		return passed;
	}

	/** Runs a step that says by throwing that it did not work, so that the steps after it still run */
	async step(name: string, run: () => Promise<void> | void): Promise<boolean> {
		try {
			await run();
			return this.check(name, true);
		} catch (error) {
			return this.check(name, false, error instanceof Error ? readable(error) : String(error));
		}
	}

	end(): void {
		console.log(`${this.#passed} passed, ${this.#failed} failed`);
		if (this.#failed > 0 || this.#passed === 0) process.exitCode = 1;
	}
}

/** What happened and where in our own files; a browser's long log of its attempts and the frames of libraries are left out */
function readable(error: Error): string {
	const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at .*\/test\//.test(line));
	return [...error.message.split('\n').slice(0, 40), ...frames.slice(0, 3)].join('\n');
}
