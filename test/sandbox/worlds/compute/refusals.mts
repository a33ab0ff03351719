import { errorForms, type ErrorForm } from '../../faults.mts';
import {
	DEPLOY,
	DEPLOYS,
	DESTROY,
	DESTROYS,
	EXTEND,
	EXTENDS,
	UPDATE,
	UPDATES,
	without,
	type ComputeWorld,
} from '../computeWorld.mts';

const ANSWERS: Array<[name: string, answer: ErrorForm]> = [
	[
		'200 with an error',
		{ status: 200, body: { status: 'failed', success: false, error: 'insufficient balance' } },
	],
	['200 with a login page', errorForms.html(200, 'Please log in')],
	['302 to a login page', { ...errorForms.html(302, 'Found'), headers: { location: '/login' } }],
];

/** The service does nothing and says so in an unusual way. */
export default ANSWERS.flatMap(([name, answer]): ComputeWorld[] => [
	{
		name: `deploy refused: ${name}`,
		faults: [{ match: DEPLOY, times: Infinity, ...answer }],
		mustSucceed: without(...DEPLOYS),
	},
	{
		name: `extend, update and destroy refused: ${name}`,
		faults: [EXTEND, UPDATE, DESTROY].map((match) => ({ match, times: Infinity, ...answer })),
		mustSucceed: without(...EXTENDS, ...UPDATES, ...DESTROYS),
	},
]);
