/**
 * What may be touched on this node, as its owner wrote it down: roots, units, containers, hosts,
 * and what must be signed. Nothing that comes from elsewhere widens it (H11). Start with {@link
 * drover.opsagent.policy.LocalPolicy}; {@link drover.opsagent.policy.PolicyFile} reads and
 * distrusts the file. Depends on nothing of the agent.
 */
@NullMarked
package drover.opsagent.policy;

import org.jspecify.annotations.NullMarked;
