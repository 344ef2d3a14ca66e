package drover.standalone.doctor;

import drover.machine.home.Unusable;
import java.util.List;
import java.util.function.Supplier;

/**
 * One thing that was looked at.
 *
 * @param check what was looked at, one word
 * @param sentence what was found and, unless all is well, what to do
 */
public record Finding(Level level, String check, String sentence) {
    /** How bad it is. */
    public enum Level {
        /** As it should be. */
        OK,
        /** It works, and somebody should look. */
        WARN,
        /** It does not work. */
        FAIL
    }

    static Finding ok(String check, String sentence) {
        return new Finding(Level.OK, check, sentence);
    }

    static Finding warn(String check, String sentence) {
        return new Finding(Level.WARN, check, sentence);
    }

    static Finding fail(String check, String sentence) {
        return new Finding(Level.FAIL, check, sentence);
    }

    /** What a look finds; what makes it impossible is a finding too. */
    static List<Finding> looking(String check, Supplier<List<Finding>> look) {
        try {
            return look.get();
        } catch (Unusable e) {
            return List.of(fail(check, e.sentence()));
        }
    }
}
