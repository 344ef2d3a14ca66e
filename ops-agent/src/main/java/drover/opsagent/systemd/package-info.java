/**
 * The runtime {@code systemd}: programs as units of the machine's own systemd, which starts them
 * again as their unit files say. Start with {@link drover.opsagent.systemd.SystemdRuntime}, then
 * {@link drover.opsagent.systemd.UnitController}. What it needs of systemd is the port {@link
 * drover.opsagent.systemd.SystemdUnits}; it decides nothing about attempts and knows no control
 * plane.
 */
@NullMarked
package drover.opsagent.systemd;

import org.jspecify.annotations.NullMarked;
