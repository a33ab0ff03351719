import type { ContainerLog, LogConnection, Sandbox } from '../sandbox/index.mts';
import type { LogWorld } from '../sandbox/worlds/logWorld.mts';

/** A container of a world, through all its lives: each start of it has a log of its own. */
export class LogContainer {
	private readonly lives: ContainerLog[] = [];

	constructor(
		private readonly sandbox: Sandbox,
		private readonly world: LogWorld,
		private readonly deploymentId: string,
		readonly id: string,
	) {
		this.start();
	}

	/** Entries of its present life. */
	get length(): number {
		return this.log.entries.stdout.length;
	}

	get connections(): LogConnection[] {
		return [...this.log.connections];
	}

	write(line: string): void {
		this.log.append('stdout', line);
	}

	/** Writes a line of which clients get the first half, before their connections break. */
	writeHalf(line: string): void {
		this.log.appendHalf('stdout', line);
	}

	/** Its old log is gone, and a new one begins with the banner. */
	restart(): void {
		const old = this.log;
		this.start();
		old.finish();
	}

	/** It writes nothing any more, and the streams end. */
	finish(): void {
		this.log.finish();
	}

	/** Every line that it wrote, and the ones that a client could have got. */
	books(): { written: string[]; offered: string[] } {
		this.log.offerKept('stdout');
		return {
			written: this.lives.flatMap(({ entries }) => entries.stdout),
			offered: this.lives.flatMap(({ entries, offered }) =>
				entries.stdout.filter((_, index) => offered.stdout.has(index)),
			),
		};
	}

	private get log(): ContainerLog {
		const log = this.lives.at(-1);
		if (!log) throw new Error('The container has not started');
		return log;
	}

	private start(): void {
		const { format, contentType, resume, stream, banner = [] } = this.world;
		const log = this.sandbox.logs.open(this.deploymentId, this.id, format);
		if (contentType !== undefined) log.contentType = contentType;
		if (resume) log.resume = resume;
		if (stream) log.stream = stream;
		this.lives.push(log);
		log.append('stdout', ...banner);
	}
}
