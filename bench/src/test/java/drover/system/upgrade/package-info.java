/**
 * Upgrade tests of Drover itself, from an earlier build to this one. Start with {@link
 * drover.system.upgrade.UpgradeOfDroverIT}, then {@link drover.system.upgrade.MixedBuildsIT}.
 * {@link drover.system.upgrade.PreviousBuild} finds the earlier build. Must not depend on {@code
 * drover.standalone}.
 */
@NullMarked
package drover.system.upgrade;

import org.jspecify.annotations.NullMarked;
