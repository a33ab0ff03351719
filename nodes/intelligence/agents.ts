import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../shared/guards';
import { replyError, requestObject, type RequestContext } from '../shared/http/request';
import { API } from './paths';

/**
 * The agents of the service, each with its key as `agent_key` (`GET /api/v1/agents`, intelligence-api.md "List agents":
 * a map from key to agent).
 * @throws the error of the service, or one for a response without agents
 */
export async function listAgents(context: RequestContext): Promise<IDataObject[]> {
	const { agents } = await requestObject(context, {
		method: 'GET',
		path: `${API}/agents`,
		retry: 'idempotent',
	});
	if (!isRecord(agents))
		throw replyError(context, {
			kind: 'lost',
			reason: 'The response does not contain a list of agents',
		});
	return Object.entries(agents).map(([key, agent]) => ({
		agent_key: key,
		...(isRecord(agent) ? (agent as IDataObject) : { name: String(agent) }),
	}));
}
