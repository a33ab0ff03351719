/** The names of the deployments of jobs that this process works on, until they are known to be over. */
const alive = new Set<string>();

export function isAlive(name: string): boolean {
	return alive.has(name.toLowerCase());
}

/**
 * Does the work of a job, which counts as alive until it is over: a later execution leaves its deployment alone.
 * @param twice makes the error where the same job is alive already
 */
export async function whileAlive<T>(
	name: string,
	twice: () => Error,
	work: () => Promise<T>,
): Promise<T> {
	const key = name.toLowerCase();
	if (alive.has(key)) throw twice();
	alive.add(key);
	try {
		return await work();
	} finally {
		alive.delete(key);
	}
}
