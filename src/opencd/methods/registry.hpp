// The methods by name: the only place that knows them all.
#pragma once

#include "opencd/method.hpp"
#include "opencd/methods/method_task.hpp"
#include "opencd/recipe.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace opencd {

/// What a user may ask for with --method: those that discover classes. SimCLR, which does not, is
/// what `pretrain` trains.
std::vector<std::string> method_names();

/// UsageError, which says what to do, unless a method can work with this number of classes, `known` of
/// which are known; 0: unknown.
void check_class_number(std::string_view name, std::size_t known, std::size_t classes);

/// `options` holds settings by the names of the command line; a method takes those it knows.
/// UsageError for an unknown name or values that cannot work.
std::unique_ptr<Method> make_method(std::string_view name,
                                    const MethodContext& context,
                                    const Json& options);

/// How its authors train it, with so many known classes.
Recipe method_recipe(std::string_view name, const Json& options, std::size_t known);

/// Options that follow from the task, by name, unless somebody says otherwise; `given` is what was said.
Json method_defaults(std::string_view name, const MethodTask& task, const Json& given);

/// Whether an option is one of the method's.
bool takes_option(std::string_view name, std::string_view key);

/// The method that is this one with more options, under a name of its own; empty: there is none.
std::string_view extension_of(std::string_view name);

/// Those of `options` that the method takes.
Json options_of_method(std::string_view name, const Json& options);

/// Whether a method learns nothing by steps: it only looks at features.
bool is_training_free(std::string_view name);

/// Whether labels decide which group is which known class. Elsewhere groups and classes are only
/// matched afterwards.
bool names_known_classes(std::string_view name);

}  // namespace opencd
