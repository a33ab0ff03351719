import { EVERY_REQUEST, type IntelligenceWorld } from '../intelligenceWorld.mts';

/** The documented service. */
export default {
	name: 'documented (default)',
	mustSucceed: EVERY_REQUEST,
} satisfies IntelligenceWorld;
