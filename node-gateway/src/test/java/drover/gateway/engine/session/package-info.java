/**
 * Tests of superseded sessions, wrong identities and rejected messages. Start with {@link
 * drover.gateway.engine.session.SupersededSessionTest}.
 */
@NullMarked
package drover.gateway.engine.session;

import org.jspecify.annotations.NullMarked;
