/**
 * The nodes of a standalone mesh: which there are, what each is given first, and how their programs
 * are ended. Start with {@link drover.standalone.fleet.PortSavingFleetPlanner}, then {@link
 * drover.standalone.fleet.NodesFileReader}. Talks to the services through their contracts only.
 */
@NullMarked
package drover.standalone.fleet;

import org.jspecify.annotations.NullMarked;
