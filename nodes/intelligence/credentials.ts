import type { CredentialChoices, Service } from '../shared/http/credentials';

/** What intelligence-api.md "Limits" says of quotas; its numbers are not shown. */
const QUOTAS =
	'Usage is metered in credits: each model has its own rate, the quota is daily or hourly, and all models of a paid plan draw from one pool.';

/** What requests to the intelligence API have of their own. */
const INTELLIGENCE: Service = {
	segment: { placeholder: 'rag', field: 'ragSegment', label: 'Retrieval Segment' },
	advice: {
		402: `${QUOTAS} Choose a model that the plan covers, or a higher plan.`,
		404: 'Check the ID, if you asked for one. For all else, check the Retrieval Segment and the Base URL in the credential.',
		429: `${QUOTAS} Wait until the hour or the day is over, choose a model with a lower rate, or send fewer requests.`,
	},
};

/** Every request carries the key (intelligence-api.md "Authentication"); OAuth 2.0 is declared for the service as well. */
export const INTELLIGENCE_CREDENTIALS: CredentialChoices = {
	service: INTELLIGENCE,
	choices: [
		['apiKey', 'computeIntelligenceApi'],
		['oAuth2', 'computeIntelligenceOAuth2Api'],
	],
};
