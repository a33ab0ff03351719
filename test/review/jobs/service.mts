import type { Clock } from './clock.mts';
import { Service, type Answer, type Call, type Machine } from '../money/service.mts';
import { Habits, Vm } from './vm.mts';

/** The marketplace of the money review, whose deployments are machines that take logins. */
export class Marketplace {
	readonly habits = new Habits();
	readonly books: Service;
	/** By the ID of the deployment. */
	readonly vms = new Map<string, Vm>();
	/** What stands before the service, beside what the VMs need. */
	gateway: Service['gateway'] = (call, forward) => forward(call);

	constructor(private readonly clock: Clock) {
		this.books = new Service(clock as never);
		this.books.gateway = async (call, forward) => {
			const answer = await this.gateway(call, (one) => this.answer(one, forward));
			await this.boot();
			return answer;
		};
		clock.onPass = () => this.sweep();
		clock.others = () => ({
			moved: [...this.vms.values()].map(({ moved }) => moved).join(),
			isBusy: [...this.vms.values()].some(({ busy }) => busy > 0),
		});
	}

	get first(): Vm {
		return this.vm(0);
	}

	/** In the order in which they were bought. */
	vm(index: number): Vm {
		const vm = [...this.vms.values()][index];
		if (!vm) throw new Error(`There is no VM ${index}`);
		return vm;
	}

	/** What ends, ends with its processes. */
	sweep(): void {
		for (const machine of this.books.machines)
			if (!this.isRunning(machine)) this.vms.get(machine.id)?.off();
	}

	close(): void {
		this.books.close();
		for (const vm of this.vms.values()) vm.close();
	}

	private isRunning(machine: Machine): boolean {
		const status = this.books.statusOf(machine, this.clock.now());
		return ['running', 'termination requested'].includes(status);
	}

	private async boot(): Promise<void> {
		for (const machine of this.books.machines) {
			if (this.vms.has(machine.id)) continue;
			const { bootTakes } = this.habits;
			const isUp = () =>
				this.isRunning(machine) && this.clock.now() >= machine.createdAt + bootTakes;
			const vm = new Vm(machine.id, this.habits, isUp);
			this.vms.set(machine.id, vm);
			await vm.start();
		}
		this.sweep();
	}

	private answer(call: Call, forward: (call: Call) => Answer): Answer {
		const [, id] = /\/vmaas\/deployment\/([^/]+)\/vms$/.exec(call.path) ?? [];
		const machine = this.books.machines.find((one) => one.id === id);
		if (id === undefined) return forward(call);
		if (!machine) return { status: 404, body: { detail: 'Not found' } };
		const isFirst = ['1', null].includes(call.query.get('page'));
		const worker = {
			vm_id: `vm-of-${id}`,
			status: this.books.statusOf(machine, this.clock.now()),
			ssh_access: this.vms.get(id)?.address ?? null,
		};
		return { status: 200, body: { data: { total: 1, workers: isFirst ? [worker] : [] } } };
	}
}
