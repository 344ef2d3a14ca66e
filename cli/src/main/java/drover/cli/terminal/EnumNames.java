package drover.cli.terminal;

import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.ProtocolMessageEnum;
import drover.api.v1.Options;
import java.util.List;
import java.util.Locale;

/**
 * The contracts' enum values as people write them, the same as in REST: without the enum's prefix,
 * in lower case or, for codes and phases, in upper case.
 */
public final class EnumNames {
    private EnumNames() {}

    /** The word of a value; empty for a value that says nothing. */
    public static String of(ProtocolMessageEnum value) {
        EnumDescriptor type = value.getDescriptorForType();
        boolean unknown = value.toString().equals("UNRECOGNIZED"); // a newer server's value
        if (unknown) {
            return "unknown";
        }
        return value.getNumber() == 0 ? "" : of(type.findValueByNumber(value.getNumber()));
    }

    /** The same of where something stands: it always stands somewhere, also when nobody knows. */
    public static String nameOrUnknown(ProtocolMessageEnum value) {
        String word = of(value);
        return word.isEmpty() ? "unknown" : word;
    }

    /**
     * The same of a value that decides whether somebody goes on waiting.
     *
     * @throws CommandFailed for a newer server's value: one would wait for ever
     */
    public static String requireKnown(ProtocolMessageEnum value) {
        String word = of(value);
        if (word.equals("unknown")) {
            throw CommandFailed.refused(
                    "The server says a status that this drover does not know; upgrade the command"
                            + " line.");
        }
        return word;
    }

    static String of(EnumValueDescriptor value) {
        EnumDescriptor type = value.getType();
        String prefix = type.getName().replaceAll("([a-z0-9])([A-Z])", "$1_$2") + "_";
        String name = value.getName();
        String bare =
                name.startsWith(prefix.toUpperCase(Locale.ROOT))
                        ? name.substring(prefix.length())
                        : name;
        return type.getOptions().getExtension(Options.upperCase)
                ? bare
                : bare.toLowerCase(Locale.ROOT);
    }

    /** Every word of an enum, in the order of the contract. */
    static List<String> allNames(EnumDescriptor type) {
        return type.getValues().stream()
                .filter(value -> value.getNumber() != 0)
                .map(EnumNames::of)
                .toList();
    }

    /**
     * The number of a word given for an option; 0 for none at all.
     *
     * @throws CommandFailed as wrong usage, listing the words that are allowed
     */
    public static int parseNumber(String option, String word, EnumDescriptor type) {
        if (word.isEmpty()) {
            return 0;
        }
        return type.getValues().stream()
                .filter(value -> value.getNumber() != 0 && of(value).equals(word))
                .findFirst()
                .orElseThrow(
                        () ->
                                CommandFailed.usage(
                                        "%s does not take '%s'; write one of %s."
                                                .formatted(
                                                        option,
                                                        word,
                                                        String.join(", ", allNames(type)))))
                .getNumber();
    }
}
