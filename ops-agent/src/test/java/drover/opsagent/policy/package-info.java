/** What a policy lets be touched, and which policy is believed. */
@NullMarked
package drover.opsagent.policy;

import org.jspecify.annotations.NullMarked;
