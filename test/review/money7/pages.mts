import type { Said } from './service.mts';

/** A second page that is refused, or shows nothing beside a refusal. */
export const PAGES: Array<[string, Said]> = [
	['503', { status: 503, body: { detail: 'busy' } }],
	['404', { status: 404, body: { detail: 'not found' } }],
	['400', { status: 400, body: { detail: 'bad page' } }],
	['a web page', { body: '<html><title>Sign in</title></html>' }],
	['nothing and success false', { body: { success: false, data: { deployments: [] } } }],
	['nothing and an error', { body: { error: 'busy', data: { deployments: [] } } }],
	['nothing and a status of failure', { body: { status: 'error', data: { deployments: [] } } }],
	['null and an error', { body: { error: 'busy', data: { deployments: null } } }],
	['nothing and a code', { body: { code: 503, message: 'busy', data: { deployments: [] } } }],
];
