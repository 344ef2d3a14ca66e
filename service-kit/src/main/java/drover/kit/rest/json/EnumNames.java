package drover.kit.rest.json;

import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import drover.api.v1.Options;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * How the contracts' enum values are written: the name without the enum's prefix, in lower case
 * ({@code rolling}) or, for codes and phases, in upper case ({@code FAILURE_THRESHOLD}).
 */
public final class EnumNames {
    private EnumNames() {}

    /** The word for a value. */
    public static String nameOf(EnumValueDescriptor value) {
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

    /** The words a caller may send, in the order of the contract; the unspecified value is none. */
    public static List<String> allowedNames(EnumDescriptor type) {
        return type.getValues().stream()
                .filter(value -> value.getNumber() != 0)
                .map(EnumNames::nameOf)
                .toList();
    }

    /** The value of a word, or empty when it is not exactly one of {@link #allowedNames}. */
    public static Optional<EnumValueDescriptor> parse(EnumDescriptor type, String word) {
        return type.getValues().stream()
                .filter(value -> value.getNumber() != 0 && nameOf(value).equals(word))
                .findFirst();
    }
}
