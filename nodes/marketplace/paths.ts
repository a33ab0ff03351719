/** Path prefix of all VMaaS endpoints (compute-api.md "Endpoints"). */
export const VMAAS = '/enterprise/v1/{service}-cloud/vmaas';

/** The one credential of the VMaaS node (compute-api.md "Authentication": hardware list, price, deploy). */
export const CREDENTIAL = 'computeMarketplaceApi';
