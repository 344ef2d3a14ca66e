/**
 * The demonstration: a small real program in three versions, its configuration, and the story that
 * {@code ./drover demo} tells. Start with {@link drover.standalone.demo.DemoProgram} and {@link
 * drover.standalone.demo.DemoConfigFiles}. Works through the operators' doors like anybody else.
 */
@NullMarked
package drover.standalone.demo;

import org.jspecify.annotations.NullMarked;
