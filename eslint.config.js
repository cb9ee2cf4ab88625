import { defineConfig, globalIgnores } from 'eslint/config';
import { builtinRules } from 'eslint/use-at-your-own-risk';
import tseslint from 'typescript-eslint';

// ESLint's own recommended rules, read from the rules themselves, so that no further package is needed for the list.
const recommended = Object.fromEntries(
  [...builtinRules].filter(([, rule]) => rule.meta.docs?.recommended).map(([name]) => [name, 'error']),
);

export default defineConfig(
  globalIgnores(['dist/', 'build*/', '.services/', 'node_modules/']),
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },

  {
    files: ['{src,test,bench}/**/*.ts'],
    extends: [
      { rules: recommended },
      tseslint.configs.strictTypeChecked,
      tseslint.configs.stylisticTypeChecked,
    ],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      // A promise that nobody waits for hides a failure; node:test waits for its own.
      '@typescript-eslint/no-floating-promises': [
        'error',
        {
          allowForKnownSafeCalls: [
            { from: 'package', package: 'node:test', name: ['test', 'it', 'describe', 'suite'] },
          ],
        },
      ],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      eqeqeq: 'error',
      'no-console': 'error',

      // Contracts return promises also where an implementation has nothing to wait for.
      '@typescript-eslint/require-await': 'off',
      // Indices into typed arrays are sums; the type of an element is certain where the code says so.
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/prefer-for-of': 'off',
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/restrict-plus-operands': ['error', { allowNumberAndString: true }],
      // It takes a flag that was false before an await for false after it ("signal.aborted").
      '@typescript-eslint/no-unnecessary-condition': 'off',
      // "return done();" ends a function early in one line.
      '@typescript-eslint/no-confusing-void-expression': 'off',
      // What was caught may be thrown again, whatever it is.
      '@typescript-eslint/only-throw-error': 'off',
      'no-throw-literal': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      // A constant object and a type of the same name are how this code writes an enum.
      'no-redeclare': 'off',
      // The compiler knows better.
      'no-undef': 'off',
    },
  },
  {
    files: ['{test,bench}/**/*.ts'],
    rules: {
      'no-console': 'off',
      '@typescript-eslint/no-empty-function': 'off',
    },
  },

  {
    files: ['**/*.{js,mjs}'],
    extends: [{ rules: recommended }],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        Buffer: 'readonly',
        performance: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
      },
    },
  },
);
