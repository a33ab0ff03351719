import type { FastifyInstance } from 'fastify';
import { Refusal } from './core/http.mts';

/** The token endpoint of the client credentials grant (RFC 6749 section 4.4). The specification names none, so its URL is a setting of the credential. */
export function tokenRoute(app: FastifyInstance, token: string): void {
	app.post('/oauth2/token', (request) => {
		const form = new URLSearchParams(
			Buffer.isBuffer(request.body) ? request.body.toString('utf8') : '',
		);
		if (form.get('grant_type') !== 'client_credentials')
			throw new Refusal(400, { error: 'unsupported_grant_type' });
		return { access_token: token, token_type: 'bearer', expires_in: 3_600 };
	});
}
