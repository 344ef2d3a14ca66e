/**
 * The agent as root, and as a user without rights, in a container that systemd booted: real units,
 * mounts and file attributes. Each test is skipped, with a message, where no such container can
 * run.
 */
@NullMarked
package drover.opsagent.systemd.machine;

import org.jspecify.annotations.NullMarked;
