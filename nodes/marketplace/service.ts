import type { Service } from '../shared/http/credentials';

/** What requests to the compute API have of their own (compute-api.md "Endpoints": each path has the segment). */
export const MARKETPLACE: Service = {
	segment: { placeholder: 'service', field: 'service', label: 'Service Segment' },
	advice: {
		404: 'Check the ID, if you asked for one. For all else, check the service segment and the Base URL in the credential.',
	},
};
