/**
 * Whether this node believes that somebody it trusts wants this installed: the room between a
 * command and its first look at the node (E1, E6–E8). Start with {@link
 * drover.opsagent.trust.ReleaseGate}; the rules themselves are {@link
 * drover.model.sign.ReleaseRules}. Uses the agent's own directory and policy; knows no runtime, no
 * network and no message.
 */
@NullMarked
package drover.opsagent.trust;

import org.jspecify.annotations.NullMarked;
