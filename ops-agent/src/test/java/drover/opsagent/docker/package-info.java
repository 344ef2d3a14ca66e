/** What containers are made of, and how an agent fares with them. */
@NullMarked
package drover.opsagent.docker;

import org.jspecify.annotations.NullMarked;
