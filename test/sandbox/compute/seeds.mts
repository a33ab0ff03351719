import { stableUuid } from '../core/ids.mts';
import type { Service } from '../core/service.mts';
import { regionOf } from './regions.mts';
import type { LogFormat } from './logs.mts';
import { HOUR } from './money.mts';
import { workerId } from './views.mts';

interface Seed {
	name: string;
	hardwareId: number;
	hardwareName: string;
	location: string;
	replicas: number;
	hours: number;
	/** How long ago it was deployed. */
	hoursAgo: number;
	image: string;
	formats: LogFormat[];
}

const seeds: readonly Seed[] = [
	{
		name: 'batch-render',
		hardwareId: 7,
		hardwareName: 'GeForce RTX 4090',
		location: 'us-west-2',
		replicas: 1,
		hours: 6,
		hoursAgo: 30,
		image: 'registry.example/render:2',
		formats: ['lines'],
	},
	{
		name: 'embedding-worker',
		hardwareId: 20,
		hardwareName: 'L40S',
		location: 'eu-west-1',
		replicas: 1,
		hours: 720,
		hoursAgo: 48,
		image: 'registry.example/embedder:3.2',
		formats: ['lines'],
	},
	{
		name: 'inference-api',
		hardwareId: 12,
		hardwareName: 'A100 SXM4',
		location: '2',
		replicas: 2,
		hours: 336,
		hoursAgo: 5,
		image: 'registry.example/inference:1.8',
		formats: ['sse', 'lines'],
	},
];

/**
 * A few container deployments from before the start: one has ended, and so has its log; the others still run. Saved workflows
 * name them, so their IDs are always the same.
 */
export function seedDeployments(service: Service): void {
	const { clock, purchases, logs } = service;
	seeds.forEach((seed, index) => {
		const deployment = purchases.seed(
			{
				kind: 'caas',
				name: seed.name,
				hardwareId: seed.hardwareId,
				hardwareName: seed.hardwareName,
				region: regionOf(seed.location),
				gpusPerWorker: 1,
				workers: seed.replicas,
				hours: seed.hours,
				hourlyPrice: 0.9 * seed.replicas,
				isExternal: false,
				request: {
					container_config: {
						replica_count: seed.replicas,
						image_url: seed.image,
						traffic_port: 8080,
						env_variables: {},
					},
				},
			},
			clock.now() - seed.hoursAgo * HOUR,
			stableUuid(`seeded ${index + 1}`),
		);
		deployment.settle(clock.now());
		seed.formats.forEach((format, worker) => {
			const log = logs.open(deployment.id, workerId(deployment.id, worker), format);
			log.append(
				'stdout',
				`starting ${seed.image}`,
				'loading weights',
				'ready on port 8080',
				...Array.from({ length: 20 }, (_, step) => `request ${step + 1} served`),
			);
			log.append('stderr', 'warning: no cache directory given, using memory');
			if (deployment.isGone) log.finish();
		});
	});
}
