package drover.opsagent.main;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;

/**
 * Marks a test, or all tests of a class, that only the full suite ({@code ./mvnw verify -Pfull})
 * runs: fault injection, complete enumerations and long forms (decision 0109). {@code
 * FullSuiteTest} of the module standalone checks both elements.
 */
@Tag("faults")
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
public @interface Faults {
    /** Whether this is the full suite. Tests with samples choose their size by it. */
    boolean FULL_SUITE = "full".equals(System.getProperty("suite"));

    /** Rule that the test shows, with its meaning: {@code C1 (an action takes effect once)}. */
    String rule();

    /** Test of the default suite that keeps a sample: {@code Class.method}. */
    String sample();
}
