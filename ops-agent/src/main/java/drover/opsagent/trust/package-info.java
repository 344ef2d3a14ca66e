/**
 * Whether this node believes that somebody it trusts wants this installed, and that a coordinator
 * asks for it: the room between a command and its first look at the node (E1, E6–E8, H8). Start
 * with {@link drover.opsagent.trust.ReleaseAuthorizerAndRecorder} and {@link
 * drover.opsagent.trust.CommandAuthorizer}; the rules themselves are {@link
 * drover.trust.release.ReleaseVerifier} and {@link drover.trust.release.CommandVerifier}. Uses the
 * agent's own directory and policy; knows no runtime, no network and no message.
 */
@NullMarked
package drover.opsagent.trust;

import org.jspecify.annotations.NullMarked;
