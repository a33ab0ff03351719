import { errorForms, type ErrorForm } from '../../faults.mts';
import { EVERY_OPERATION, outages, type LogWorld } from '../logWorld.mts';

const ANSWERS: Array<[name: string, answer: ErrorForm]> = [
	['302', { ...errorForms.html(302, 'Found'), headers: { location: '/login' } }],
	['400', errorForms.html(400, 'Bad Request')],
	['401', errorForms.detailString(401, 'Not authenticated')],
	['403', errorForms.html(403, 'Forbidden')],
	['404', errorForms.plainText(404, 'default backend - 404')],
	['422', errorForms.detailList(422)],
	['empty 200', errorForms.empty(200)],
	['web page 200', errorForms.html(200, 'We will be back soon')],
];

/** A gateway answers in place of the service for some seconds: for the log and for its deployment. */
export default ANSWERS.map(([name, answer]): LogWorld => ({
	name: `gateway: ${name}`,
	interruptions: outages(answer),
	outage: answer,
	mustSucceed: EVERY_OPERATION,
}));
